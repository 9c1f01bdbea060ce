import { formatCount } from '../../lib/format.ts';

interface PagerProps {
  page: number;
  pages: number;
  pageUrl: (page: number) => string;
}

/** `page` counts from 1. With one page there is nothing to show. */
export function Pager({ page, pages, pageUrl }: PagerProps) {
  if (pages <= 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && <a href={pageUrl(1)}>First</a>}
      {page > 1 && (
        <a rel="prev" href={pageUrl(page - 1)}>
          Previous
        </a>
      )}
      <span>
        Page {formatCount(page)} of {formatCount(pages)}
      </span>
      {page < pages && (
        <a rel="next" href={pageUrl(page + 1)}>
          Next
        </a>
      )}
      {page < pages && <a href={pageUrl(pages)}>Last</a>}
    </nav>
  );
}
