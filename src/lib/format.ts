/** Formats numbers, times and texts for messages and pages. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from './clock.ts';

/** Formats a count as `12,000`. */
export function formatCount(number: number): string {
  return number.toLocaleString('en-US');
}

/** Formats a difference as `+12`, `−3` or `±0`. */
export function formatChange(difference: number): string {
  if (difference === 0) return '±0';
  return `${difference > 0 ? '+' : '\u2212'}${formatCount(Math.abs(difference))}`;
}

/** Formats a count of something as `1 video` or `12,000 videos`. */
export function pluralize(number: number, one: string, many = `${one}s`): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`;
}

/** Formats bytes as `512 kB`, `28.4 MB` or `1.2 GB`. */
export function formatBytes(bytes: number): string {
  return scale(bytes, 1000, ['B', 'kB', 'MB', 'GB', 'TB']);
}

/** Formats bytes in powers of 1,024, as storage is counted: `812 B`, `4.2 GiB`, `1.53 TiB`. */
export function formatBinaryBytes(bytes: number): string {
  return scale(bytes, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']);
}

function scale(bytes: number, base: number, units: readonly string[]): string {
  const inUnit = (power: number) => bytes / base ** power;
  const round = (power: number) => Number(inUnit(power).toPrecision(3));
  const isTooLarge = (power: number) => Math.abs(inUnit(power)) >= base || Math.abs(round(power)) >= base;
  let power = 0;
  while (isTooLarge(power) && power < units.length - 1) power++;
  return `${round(power)} ${units[power]}`;
}

/** Formats milliseconds as `420ms`, `3.4s`, `2m 5s` or `1h 2m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  if (ms < MINUTE_MS) return `${Math.floor(ms / 100) / 10}s`;
  const parts = [
    `${Math.floor(ms / DAY_MS)}d`,
    `${Math.floor(ms / HOUR_MS) % 24}h`,
    `${Math.floor(ms / MINUTE_MS) % 60}m`,
    `${Math.floor(ms / 1000) % 60}s`,
  ];
  const shown = parts.filter((part) => !part.startsWith('0'));
  return shown.slice(0, 2).join(' ');
}

/**
 * How the machine's clock differs from that of the service. `offsetMs`: by how much the service's is ahead
 * (negative: behind).
 */
export function formatOffset(offsetMs: number): string {
  const hours = Math.round(Math.abs(offsetMs) / HOUR_MS);
  const length = hours < 48 ? formatDuration(Math.abs(offsetMs)) : pluralize(Math.round(hours / 24), 'day');
  return `the machine's clock is ${length} ${offsetMs < 0 ? 'ahead of' : 'behind'} the service's`;
}

/** Formats milliseconds in the past in the largest suitable unit: `14 min ago`. */
export function formatAgo(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 1) return 'just now';
  if (minutes < 120) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

/** The text, cut to this many columns of a terminal, the last one an ellipsis. */
export function truncate(text: string, columns: number): string {
  let [kept, width] = ['', 0];
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) return `${kept}…`;
    if (width < columns) kept += character;
  }
  return text;
}

/**
 * Replaces each character that could control a terminal: control characters, line and paragraph separators,
 * characters that change the direction of text, halves of a character.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu, '\ufffd');
}

/** Matches marks, which take no column, and characters of East Asia and pictures, which take two. */
const NONE = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\p{Emoji_Modifier}]/u;
const EAST_ASIAN =
  '\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f' +
  '\\uff01-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}';
const WIDE = new RegExp(`[${EAST_ASIAN}]|\\p{Emoji_Presentation}`, 'u');

/** How many columns of a terminal a character takes. */
const characterWidth = (character: string) => (NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** The word with a capital letter. */
export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
