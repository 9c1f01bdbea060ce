/** Links to the other pages of a list. */
import { formatCount } from '../../lib/format.ts';

export interface PagerParts {
  /** From 1 up. */
  page: number;
  pages: number;
  addressOf: (page: number) => string;
}

/** Nothing where there is one page. */
export function Pager({ page, pages, addressOf }: PagerParts) {
  if (pages <= 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && <a href={addressOf(1)}>First</a>}
      {page > 1 && (
        <a rel="prev" href={addressOf(page - 1)}>
          Previous
        </a>
      )}
      <span>
        Page {formatCount(page)} of {formatCount(pages)}
      </span>
      {page < pages && (
        <a rel="next" href={addressOf(page + 1)}>
          Next
        </a>
      )}
      {page < pages && <a href={addressOf(pages)}>Last</a>}
    </nav>
  );
}
