/** A real browser for tests of scripts, and a record of all its errors. */
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

export interface WatchedPage {
  page: Page;
  /**
   * The messages recorded so far, in order: console errors and warnings (with violations of the content
   * security policy), uncaught errors, failed requests, and requests to another host. Each begins with its
   * kind.
   */
  complaints: string[];
}

export type TestBrowser = Awaited<ReturnType<typeof openBrowser>>;

/** Starts the browser; the caller must close it. */
export async function openBrowser() {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  return {
    /** An empty page in a separate context. */
    newPage: async (options: BrowserContextOptions = {}): Promise<WatchedPage> => {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      return { page, complaints: watch(page) };
    },
    close: () => browser.close(),
  };
}

function watch(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`page error: ${error.message}`));
  page.on('requestfailed', (request) => {
    const error = request.failure()?.errorText ?? '';
    const isOfNavigation = error === 'net::ERR_ABORTED' && request.url().endsWith('/icon.svg');
    if (!isOfNavigation) complaints.push(`failed request: ${request.url()} ${error}`); // the next page ends the load of the icon
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isForeign = /^https?:$/.test(protocol) && !LOOPBACK.includes(hostname);
    if (isForeign) complaints.push(`request to another host: ${request.url()}`);
  });
  return complaints;
}
