/** A small hand-written site for the browser's scripts: on loopback, with the content security policy of the real one. */
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { serveScript } from '../servers/scripted-service.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'";
const FOLDERS: Record<string, URL> = {
  '/browser/': new URL('../../../dist/browser/', import.meta.url),
  '/assets/': new URL('../../../assets/', import.meta.url),
};
const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
};

const PAGE_STYLE = `
  :root { color-scheme: light dark; --ink: #16191d; --ink-soft: #565f6b; --line: #dadfe5; --surface: #ffffff; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e8ebee; --ink-soft: #a3adb8; --line: #343c46; --surface: #171b21; } }
  body { margin: 0; padding: 16px; background: var(--surface); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
  .scroll { overflow-x: auto; } .wide { width: 300vw; }`;

interface Answer {
  status?: number;
  body: string;
}

export type Site = Awaited<ReturnType<typeof openSite>>;

/** Serves the scripts and styles, and the responses of the test. */
export async function openSite() {
  const answers = new Map<string, () => Answer | Promise<Answer>>();
  const { url, requests, close } = await serveScript(async ({ path }) => {
    const type = TYPES[extname(path) || '.html'] ?? 'text/plain';
    const headers = { 'content-type': type, 'content-security-policy': POLICY };
    return { headers, ...((await answers.get(path)?.()) ?? fileAt(path)) };
  });
  /** Sets the response at a path. */
  const answer = (path: string, given: Answer | (() => Promise<Answer>)) =>
    void answers.set(path, typeof given === 'function' ? given : () => given);
  answer('/page.css', { body: PAGE_STYLE });
  answer('/favicon.ico', { body: '' });
  return { origin: url, answer, requests, close };
}

function fileAt(path: string): Answer {
  const folder = Object.keys(FOLDERS).find((each) => path.startsWith(each));
  if (folder === undefined) return { status: 404, body: 'There is no such address.' };
  return { body: readFileSync(new URL(path.slice(folder.length), FOLDERS[folder]), 'utf8') };
}

/** A page that loads the same files as a real one. */
export function buildPage(body: string, { attributes = '', title = 'vodhouse' } = {}): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/assets/page.css">
<link rel="stylesheet" href="/page.css">
<link rel="stylesheet" href="/assets/chart.css">
<script type="module" src="/browser/page.js"></script>
</head><body${attributes}><main>${body}</main></body></html>`;
}
