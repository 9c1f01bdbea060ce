/** The document around every page. */
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { version } from '../../lib/package-root.ts';
import { ACCOUNT_STREAMS, STREAM_KINDS } from '../../sync/streams.ts';
import { Site, useLocalText } from './format.tsx';
import { Glossary } from './glossary.tsx';

const ITEMS = [
  { name: 'status', text: 'Status', href: '/' },
  { name: 'packages', text: 'Packages', href: '/packages' },
  { name: 'changes', text: 'Changes', href: '/changes' },
  ...ACCOUNT_STREAMS.map((stream) => {
    const { path, name } = STREAM_KINDS[stream].page;
    return { name: stream, text: name, href: path };
  }),
  { name: 'runs', text: 'Runs', href: '/runs' },
  { name: 'data', text: 'Data', href: '/data' },
] as const;

type NavigationItem = (typeof ITEMS)[number]['name'];

/** Seconds after which a page refreshes itself: during a run, and otherwise. */
export const REFRESH = { running: 2, idle: 10 };

/** Props of every page. */
export interface PageFrame {
  /** The path of an asset, by its file name. */
  assetUrl: (name: string) => string;
  /** The name of the warehouse (`server.title`). */
  siteTitle: string;
  /** Of the service. */
  timezone: string;
  /** Two accounts or more are configured. */
  hasAccounts: boolean;
}

interface PageProps extends PageFrame {
  /** Of the tab, before the name of the warehouse. */
  title: string;
  /** The item of the navigation; left out: the page has none. */
  current?: NavigationItem;
  /** The pages above this one, the highest first. */
  crumbs?: readonly { text: string; href: string }[];
  /** Seconds after which the page refreshes itself; left out: never. */
  refresh?: number;
  /** Style sheets after `page.css`, by file name. */
  styles?: readonly string[];
  children: ComponentChildren;
}

/** The renderer escapes all texts and attributes. */
export function renderPage(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}

export function Page(props: PageProps) {
  const { siteTitle, timezone, hasAccounts, current, crumbs = [], refresh, children } = props;
  const site = { timezone, hasAccounts };
  return (
    <html lang="en">
      <Site.Provider value={site}>
        <Head {...props} />
      </Site.Provider>
      <body data-refresh={refresh}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header class="top">
          <a class="name" href="/">
            <span class="product">vodhouse</span>
            <bdi class="site" title={siteTitle}>
              {siteTitle}
            </bdi>
          </a>
          <Navigation current={current} />
          <SearchField />
        </header>
        <p id="connection" class="notice" role="status" hidden />
        <main id="content">
          {crumbs.length > 0 && <Breadcrumbs crumbs={crumbs} />}
          <Site.Provider value={site}>{children}</Site.Provider>
        </main>
        <footer>
          <p>
            vodhouse {version()} ·{' '}
            <span id="times">times, days and “Created” are of {timezone}, the time zone of the service</span>{' '}
            · <a href="/metrics">metrics</a> · <a href="/openapi.json">API mirror (OpenAPI)</a>
          </p>
          <Glossary />
        </footer>
      </body>
    </html>
  );
}

/** Searches the titles of all packages. */
function SearchField() {
  return (
    <form class="search" method="get" action="/changes" role="search" aria-label="Titles in all packages">
      <input type="hidden" name="kind" value="present" />
      <input
        id="search"
        type="search"
        name="q"
        aria-label="Search titles"
        placeholder="Search titles…"
        title="The key / puts the cursor here"
        aria-keyshortcuts="/"
        maxLength={200}
      />
    </form>
  );
}

function Head({ title, siteTitle, assetUrl, styles = [] }: PageProps) {
  const sheets = ['page.css', ...styles];
  const toLocalText = useLocalText();
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${toLocalText(title)} · ${siteTitle}`}</title>
      <link rel="icon" type="image/svg+xml" href={assetUrl('icon.svg')} />
      {sheets.map((sheet) => (
        <link key={sheet} rel="stylesheet" href={assetUrl(sheet)} />
      ))}
      <script type="module" src={assetUrl('page.js')} />
    </head>
  );
}

function Navigation({ current }: { current: NavigationItem | undefined }) {
  return (
    <nav class="navigation" aria-label="Pages of vodhouse">
      {ITEMS.map(({ name, text, href }) => (
        <a key={name} href={href} aria-current={name === current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

function Breadcrumbs({ crumbs }: { crumbs: NonNullable<PageProps['crumbs']> }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <ol>
        {crumbs.map(({ text, href }) => (
          <li key={href}>
            <a href={href}>
              <bdi>{text}</bdi>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
