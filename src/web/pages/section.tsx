/** The building blocks of the pages: cards with a heading, tabs, and the way between the pages of a list. */
import type { ComponentChildren } from 'preact';
import { formatCount } from '../../lib/format.ts';

interface SectionProps {
  name: string;
  heading: string;
  /** Its heading is that of the page. */
  isPage?: true;
  /** Small text after the heading. */
  count?: string;
  /** The browser replaces it when it changed. */
  part?: true;
  /** Given where there is nothing to show: a line in place of the card and its children. */
  empty?: string | undefined;
  children?: ComponentChildren;
}

export function Section({ name, heading, isPage, count, part, empty, children }: SectionProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <section
      id={name}
      class={empty === undefined ? 'card' : 'line'}
      data-part={part}
      aria-labelledby={`${name}-heading`}
    >
      <Heading id={`${name}-heading`}>
        {heading}
        {count !== undefined && <small> {count}</small>}
      </Heading>
      {empty === undefined ? children : <p class="soft">{empty}</p>}
    </section>
  );
}

interface TabsProps {
  label: string;
  tabs: readonly { text: string; href: string; isCurrent: boolean }[];
}

export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ text, href, isCurrent }) => (
        <a key={href} href={href} aria-current={isCurrent ? 'true' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

interface PagerProps {
  page: number;
  pages: number;
  pageUrl: (page: number) => string;
}

/** `page` counts from 1. With one page there is nothing to show. */
export function Pager({ page, pages, pageUrl }: PagerProps) {
  if (pages <= 1) return null;
  const links = [
    ...(page > 1
      ? ([
          ['First', 1],
          ['Previous', page - 1],
        ] as const)
      : []),
    [`Page ${formatCount(page)} of ${formatCount(pages)}`, null],
    ...(page < pages
      ? ([
          ['Next', page + 1],
          ['Last', pages],
        ] as const)
      : []),
  ] as const;
  return (
    <nav class="pager" aria-label="Pages">
      {links.map(([text, to]) =>
        to === null ? (
          <span key={text}>{text}</span>
        ) : (
          <a key={text} href={pageUrl(to)}>
            {text}
          </a>
        ),
      )}
    </nav>
  );
}
