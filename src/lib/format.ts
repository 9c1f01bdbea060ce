/** Formats numbers, times and texts for messages and pages. */
import prettyBytes from 'pretty-bytes';
import prettyMs from 'pretty-ms';
import stringWidth from 'string-width';
import { HOUR_MS, MINUTE_MS } from './clock.ts';

/** `12,000`. */
export function formatCount(number: number): string {
  return number.toLocaleString('en-US');
}

/** `1 video`, `12,000 videos`. */
export function pluralize(number: number, one: string, many = `${one}s`): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`;
}

/** Bytes as `512 kB`, `28.4 MB`, `1.2 GB`. */
export function formatBytes(bytes: number): string {
  return prettyBytes(bytes);
}

/** Bytes in powers of 1,024, as storage is counted: `812 B`, `4.2 GiB`, `1.53 TiB`. */
export function formatBinaryBytes(bytes: number): string {
  return prettyBytes(bytes, { binary: true });
}

/** Milliseconds as `420ms`, `3.4s`, `2m 5s`, `1h 2m`. */
export function formatDuration(ms: number): string {
  return prettyMs(ms, { unitCount: 2, secondsDecimalDigits: ms < MINUTE_MS ? 1 : 0 });
}

/**
 * How the machine's clock differs from that of the service. `offsetMs`: milliseconds by which the service's is ahead
 * (negative: behind); with 0 the service's own dates contradict each other.
 */
export function formatOffset(offsetMs: number): string {
  if (offsetMs === 0) return "the dates of the service's responses contradict each other";
  const hours = Math.round(Math.abs(offsetMs) / HOUR_MS);
  const length = hours < 48 ? formatDuration(Math.abs(offsetMs)) : pluralize(Math.round(hours / 24), 'day');
  return `the machine's clock is ${length} ${offsetMs < 0 ? 'ahead of' : 'behind'} the service's`;
}

/** How long ago, in the largest suitable unit: `14 min ago`. */
export function formatAgo(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 1) return 'just now';
  if (minutes < 120) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

/** The text, cut to this many columns of a terminal, the last one an ellipsis. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += displayWidth(character);
    if (width >= columns) break;
    kept += character;
  }
  return `${kept}…`;
}

/**
 * Replaces each character that could control a terminal: control characters, line and paragraph separators, characters that
 * change the direction of text, halves of a character.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu, '\ufffd');
}

/** How many columns of a terminal the text takes. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}
