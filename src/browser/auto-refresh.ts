/** Keeps an open page up to date: what runs now every second or three, and its parts when the server has something else to show. */
import { createConnection } from './offline-notice.ts';
import { createParts, isHeld, replaceContent } from './dom-swap.ts';

const RUNNING_MS = 1_000;
const QUIET_MS = 3_000;
const LONGEST_MS = 30_000;
/** Older than this, words such as "3 min ago" are wrong. */
const STALE_MS = 60_000;
const PATIENCE_MS = 15_000;

export interface LiveListeners {
  /** An element got new content. */
  swapped(part: HTMLElement): void;
  /** The page was brought up to date. */
  refreshed(): void;
}

/** The viewer is no longer let in, or sent elsewhere. */
class NotLetInError extends Error {}

/** Does nothing on a page whose body has no `data-live`. To be called before anything of the page is changed. */
export function watchLive(listeners: LiveListeners): void {
  const address = document.body.dataset.live;
  if (address === undefined) return;
  const progress = createProgress(listeners);
  const refresh = createRefresh(listeners);
  const look = async (): Promise<number> => {
    const { stamp, html, isRunning } = readLive(await (await ask(address, 'application/json')).json());
    progress.show(html);
    if (refresh.isDue(stamp)) await refresh.run();
    return waitFor(isRunning);
  };
  keepLooking(look, waitFor(progress.html() !== ''));
}

const waitFor = (isRunning: boolean) => (isRunning ? RUNNING_MS : QUIET_MS);

/** Calls `look` again and again, never twice at a time, and not while the page is out of sight; `look` tells how long to wait. */
function keepLooking(look: () => Promise<number>, firstWaitMs: number): void {
  const connection = createConnection();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLooking = false;
  let failures = 0;
  const later = (waitMs: number) => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(() => void round(), waitMs);
  };
  const round = async () => {
    if (isLooking) return;
    isLooking = true;
    clearTimeout(timer);
    let waitMs: number;
    try {
      waitMs = await look();
      failures = 0;
      connection.answered();
    } catch (error) {
      if (error instanceof NotLetInError) {
        location.reload();
        return; // and looks no more
      }
      waitMs = Math.min(LONGEST_MS, QUIET_MS * 2 ** failures);
      failures += 1;
      connection.failed();
    }
    isLooking = false;
    later(waitMs);
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else void round();
  });
  later(firstWaitMs);
}

/** The section of what runs now; hidden where nothing does. */
function createProgress(listeners: LiveListeners) {
  const root = document.getElementById('progress');
  const template = document.createElement('template');
  let shown = root?.innerHTML.trim() ?? '';
  return {
    html: () => shown,
    show: (html: string) => {
      template.innerHTML = html; // as the browser writes it, to compare like with like
      if (!root || template.innerHTML.trim() === shown || isHeld(root)) return;
      shown = template.innerHTML.trim();
      replaceContent(root, [...template.content.childNodes]);
      root.hidden = shown === '';
      listeners.swapped(root);
    },
  };
}

function createRefresh(listeners: LiveListeners) {
  const parts = createParts();
  let refreshedAtMs = performance.now();
  return {
    isDue: (stamp: string) =>
      stamp !== document.body.dataset.stamp || performance.now() - refreshedAtMs >= STALE_MS,
    run: async () => {
      const html = await (await ask(location.href, 'text/html')).text();
      const newer = new DOMParser().parseFromString(html, 'text/html');
      if (newer.body.dataset.stamp === undefined) throw new Error('the answer is not this page');
      for (const part of parts.swap(newer)) listeners.swapped(part);
      document.body.dataset.stamp = newer.body.dataset.stamp;
      document.title = newer.title;
      refreshedAtMs = performance.now();
      listeners.refreshed();
    },
  };
}

async function ask(address: string, accept: string): Promise<Response> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const response = await fetch(address, { cache: 'no-cache', headers: { accept }, signal });
  if (response.status === 401 || response.redirected) throw new NotLetInError();
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response;
}

function readLive(answer: unknown): { stamp: string; html: string; isRunning: boolean } {
  const { stamp, progress, running = progress !== '' } = (answer ?? {}) as Record<string, unknown>;
  if (typeof stamp !== 'string' || typeof progress !== 'string')
    throw new Error('the answer is not about now');
  return { stamp, html: progress, isRunning: running === true };
}
