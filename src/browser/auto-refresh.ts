/** Keeps an open page up to date: the progress of a run every second, and its other parts when the server has news. */
import { createPartSwapper, isInUse, replaceContent } from './dom-swap.ts';
import { createOfflineNotice } from './offline-notice.ts';

const RUNNING_MS = 1_000;
const IDLE_MS = 3_000;
const MAX_RETRY_MS = 30_000;
/** Refresh after this even without news, for texts such as "3 min ago". */
const MAX_AGE_MS = 60_000;
const TIMEOUT_MS = 15_000;

/** Is called with each part that got new content. */
type SwapListener = (part: HTMLElement) => void;

/** The key is no longer accepted. */
class SignedOutError extends Error {}

/** Does nothing if the body has no `data-live`. Must be called before any script changes the page. */
export function startAutoRefresh(onSwap: SwapListener): void {
  const url = document.body.dataset.live;
  if (url === undefined) return;
  const showProgress = createProgress(onSwap);
  const refreshIfDue = createRefresh(onSwap);
  startPolling(async () => {
    const { stamp, progress, running } = await fetchLive(url);
    showProgress(progress);
    await refreshIfDue(stamp);
    return running ? RUNNING_MS : IDLE_MS;
  });
}

/** Calls `poll`, which resolves with the wait before the next call, one at a time and only while the page is visible. */
function startPolling(poll: () => Promise<number>): void {
  const notice = createOfflineNotice();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPolling = false;
  let failures = 0;
  const schedule = (waitMs: number) => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(() => void run(), waitMs);
  };
  const run = async () => {
    if (isPolling) return;
    isPolling = true;
    clearTimeout(timer);
    let waitMs: number;
    try {
      waitMs = await poll();
      failures = 0;
      notice.hide();
    } catch (error) {
      if (error instanceof SignedOutError) {
        location.reload();
        return; // `isPolling` stays set: polling has ended
      }
      waitMs = Math.min(MAX_RETRY_MS, IDLE_MS * 2 ** failures);
      failures += 1;
      notice.show();
    }
    isPolling = false;
    schedule(waitMs);
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else void run();
  });
  schedule(RUNNING_MS);
}

/** The returned function shows the section of the current run. */
function createProgress(onSwap: SwapListener): (html: string) => void {
  const root = document.getElementById('progress');
  const template = document.createElement('template');
  let shown = root?.innerHTML.trim() ?? '';
  return (html) => {
    template.innerHTML = html; // normalised by the browser, as `shown` is
    if (!root || template.innerHTML.trim() === shown || isInUse(root)) return;
    shown = template.innerHTML.trim();
    replaceContent(root, [...template.content.childNodes]);
    onSwap(root);
  };
}

/** The returned function refreshes the page if the stamp is new or the page is old. */
function createRefresh(onSwap: SwapListener): (stamp: string) => Promise<void> {
  const swapParts = createPartSwapper();
  let refreshedAtMs = performance.now();
  return async (stamp) => {
    if (stamp === document.body.dataset.stamp && performance.now() - refreshedAtMs < MAX_AGE_MS) return;
    const html = await (await request(location.href, 'text/html')).text();
    const newer = new DOMParser().parseFromString(html, 'text/html');
    if (newer.body.dataset.stamp === undefined) throw new Error('the response is not this page');
    for (const part of swapParts(newer)) onSwap(part);
    document.body.dataset.stamp = newer.body.dataset.stamp;
    document.title = newer.title;
    refreshedAtMs = performance.now();
  };
}

async function request(url: string, accept: string): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { cache: 'no-cache', headers: { accept }, signal });
  if (response.status === 401 || response.redirected) throw new SignedOutError();
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response;
}

/** A proxy may answer with other JSON. */
async function fetchLive(url: string): Promise<{ stamp: string; progress: string; running: boolean }> {
  const answer: unknown = await (await request(url, 'application/json')).json();
  const { stamp, progress, running } = Object(answer) as Record<string, unknown>;
  if (typeof stamp !== 'string' || typeof progress !== 'string')
    throw new Error('the response has no stamp or progress');
  return { stamp, progress, running: running === true };
}
