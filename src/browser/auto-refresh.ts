/**
 * Keeps an open page up to date: fetches it again after the seconds that its body names, and swaps the parts
 * that changed.
 */
import { createPartSwapper } from './dom-swap.ts';
import { createOfflineNotice } from './offline-notice.ts';

const MAX_RETRY_MS = 30_000;
const TIMEOUT_MS = 15_000;

/** The server no longer accepts the key of this browser. */
class SignedOutError extends Error {}

/**
 * Does nothing if the body has no `data-refresh`. Must be called before any script changes the page. `onSwap`
 * is called with each part that got new content.
 */
export function startAutoRefresh(onSwap: (part: HTMLElement) => void): void {
  const { dataset } = document.body;
  if (dataset.refresh === undefined) return;
  const swapParts = createPartSwapper();
  const getWaitMs = () => Number(dataset.refresh) * 1000;
  startPolling(getWaitMs, async () => {
    const newer = await fetchPage();
    if (newer.body.dataset.refresh === undefined) throw new Error('the response is not this page');
    for (const part of swapParts(newer)) onSwap(part);
    dataset.refresh = newer.body.dataset.refresh;
    document.title = newer.title;
  });
}

/** Calls `poll` again and again, one at a time and only while the page is visible. */
function startPolling(getWaitMs: () => number, poll: () => Promise<void>): void {
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
    try {
      await poll();
      failures = 0;
      notice.hide();
    } catch (error) {
      if (error instanceof SignedOutError) {
        location.reload();
        return; // `isPolling` stays set: polling has ended
      }
      failures += 1;
      notice.show();
    }
    isPolling = false;
    schedule(failures === 0 ? getWaitMs() : Math.min(MAX_RETRY_MS, getWaitMs() * 2 ** (failures - 1)));
  };
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else void run();
  });
  schedule(getWaitMs());
}

async function fetchPage(): Promise<Document> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const options = { cache: 'no-cache', headers: { accept: 'text/html' }, signal } as const;
  const response = await fetch(location.href, options);
  if (response.status === 401 || response.redirected) throw new SignedOutError();
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}
