/** What every page has around it. */
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { version } from '../../lib/version.ts';

/** Where the files that a page loads are found: under addresses that change with their content. */
export type AssetUrl = (asset: string) => string;

export interface PageParts {
  title: string;
  addressOf: AssetUrl;
  /** Moves when there is something new to show; null for a page that stays as it is. */
  stamp?: string | null;
  /** A key let whoever looks in, who may want to leave. */
  mayLeave?: boolean;
  /** The page draws charts. */
  hasCharts?: boolean;
  children: ComponentChildren;
}

/** A document as text. Every text and attribute in it is escaped by the renderer. */
export function renderPage(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}

/** A piece of a document. */
export function renderFragment(piece: VNode): string {
  return renderToString(piece);
}

export function Page({
  title,
  addressOf,
  stamp = null,
  mayLeave = false,
  hasCharts = false,
  children,
}: PageParts) {
  const live = stamp === null ? {} : { 'data-stamp': stamp, 'data-live': '/live.json' };
  return (
    <html lang="en">
      <Head title={title} addressOf={addressOf} hasCharts={hasCharts} />
      <body {...live}>
        <a class="skip" href="#content">
          To the content
        </a>
        <header class="top">
          <a class="name" href="/">
            vodhouse
          </a>
          {mayLeave && (
            <form method="post" action="/leave">
              <button type="submit">Leave</button>
            </form>
          )}
        </header>
        <p id="connection" class="notice" role="status" hidden />
        <main id="content">{children}</main>
        <footer>
          <p>
            vodhouse {version()} · times are UTC, days and “made” as the service counts them ·{' '}
            <a href="/metrics">metrics</a> · <a href="/openapi.json">the service, served back</a>
          </p>
        </footer>
      </body>
    </html>
  );
}

type HeadParts = Pick<PageParts, 'title' | 'addressOf'> & { hasCharts: boolean };

function Head({ title, addressOf, hasCharts }: HeadParts) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      <link rel="icon" type="image/svg+xml" href={addressOf('icon.svg')} />
      <link rel="stylesheet" href={addressOf('page.css')} />
      <link rel="stylesheet" href={addressOf('chart.css')} />
      {hasCharts && <link rel="stylesheet" href={addressOf('uPlot.min.css')} />}
      {hasCharts && <script defer src={addressOf('uPlot.iife.min.js')} />}
      <script type="module" src={addressOf('page.js')} />
    </head>
  );
}
