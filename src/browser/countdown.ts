/** Counts down to a time: `in 12 s`. The server writes the minutes. */

const SECONDS_BELOW_MS = 120_000;

export function startCountdown(): void {
  setInterval(() => {
    for (const each of document.querySelectorAll<HTMLElement>('[data-countdown]')) {
      const leftMs = Date.parse(each.dataset['countdown'] ?? '') - Date.now();
      if (!(leftMs < SECONDS_BELOW_MS)) continue;
      const text = leftMs <= 0 ? 'due now' : `in ${Math.ceil(leftMs / 1_000)} s`;
      if (each.textContent !== text) each.textContent = text;
    }
  }, 1_000);
}
