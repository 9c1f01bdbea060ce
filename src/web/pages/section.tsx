/** The building blocks of the pages: cards with a heading, and tabs. */
import type { ComponentChildren } from 'preact';

interface SectionProps {
  name: string;
  heading: string;
  /** Its heading is that of the page. */
  isPage?: true;
  /** Small text after the heading. */
  count?: string;
  /** The browser replaces it when it changed. */
  part?: true;
  /** It has nothing to show: one line that says so, without a card. */
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
  /** The value of `aria-current`: `true` for tabs that are no pages of their own. */
  current?: 'page' | 'true';
}

export function Tabs({ label, tabs, current = 'page' }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ text, href, isCurrent }) => (
        <a key={href} href={href} aria-current={isCurrent ? current : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
