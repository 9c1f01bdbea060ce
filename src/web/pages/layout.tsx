/** The document around every page. */
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { version } from '../../lib/version.ts';

/** The path of an asset, by its file name. */
export type AssetUrl = (name: string) => string;

export interface PageProps {
  title: string;
  assetUrl: AssetUrl;
  /** Changes when there is something new to show; null: the page does not refresh itself. */
  stamp?: string | null;
  /** Show the logout button. */
  showLogout?: boolean;
  hasCharts?: boolean;
  children: ComponentChildren;
}

/** Props of every page. */
export type PageFrame = Pick<PageProps, 'assetUrl' | 'showLogout'>;

/** The renderer escapes all texts and attributes. */
export function renderPage(page: VNode): string {
  return `<!doctype html>\n${renderToString(page)}\n`;
}

export function Page({
  title,
  assetUrl,
  stamp = null,
  showLogout = false,
  hasCharts = false,
  children,
}: PageProps) {
  const refresh = stamp === null ? {} : { 'data-stamp': stamp, 'data-live': '/live.json' };
  return (
    <html lang="en">
      <Head title={title} assetUrl={assetUrl} hasCharts={hasCharts} />
      <body {...refresh}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header class="top">
          <a class="name" href="/">
            vodhouse
          </a>
          {showLogout && (
            <form method="post" action="/logout">
              <button type="submit">Sign out</button>
            </form>
          )}
        </header>
        <p id="connection" class="notice" role="status" hidden />
        <main id="content">{children}</main>
        <footer>
          <p>
            vodhouse {version()} · times are UTC; days and “Created” are in the time zone of the service ·{' '}
            <a href="/metrics">metrics</a> · <a href="/openapi.json">API mirror (OpenAPI)</a>
          </p>
        </footer>
      </body>
    </html>
  );
}

type HeadProps = Pick<PageProps, 'title' | 'assetUrl'> & { hasCharts: boolean };

function Head({ title, assetUrl, hasCharts }: HeadProps) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      <link rel="icon" type="image/svg+xml" href={assetUrl('icon.svg')} />
      <link rel="stylesheet" href={assetUrl('page.css')} />
      <link rel="stylesheet" href={assetUrl('chart.css')} />
      {hasCharts && <link rel="stylesheet" href={assetUrl('uPlot.min.css')} />}
      {hasCharts && <script defer src={assetUrl('uPlot.iife.min.js')} />}
      <script type="module" src={assetUrl('page.js')} />
    </head>
  );
}
