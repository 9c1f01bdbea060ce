/** Times, lengths, sizes, names and addresses as the pages show them. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { DAY_MS, fromTimestamp } from '../../lib/clock.ts';
import type { Status } from '../../database/schema/values.ts';
import { formatAgo, formatBinaryBytes, formatCount, formatDuration } from '../../lib/format.ts';
import { keyOfPackage, type PackageRow } from '../../sync/package-key.ts';
import { packagePath } from '../../health/place.ts';
import { findMeaning } from './glossary.tsx';

/** The time zone of all times of a page, which its footer names; and whether a package needs its account. */
export const Site = createContext({ timezone: 'UTC', hasAccounts: false });

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns a function that shows a time of the warehouse (`YYYY-MM-DD HH:MM:SS` UTC) in the zone of the page.
 */
export function useLocalTime(): (at: string) => string {
  const { timezone: timeZone } = useContext(Site);
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, format);
  return (at) => (Number.isNaN(fromTimestamp(at)) ? `${at} UTC` : format.format(fromTimestamp(at)));
}

/** Messages are the same everywhere, with times in UTC: on a page those are in its zone. */
export function useLocalText(): (text: string) => string {
  const toLocal = useLocalTime();
  return (text) => text.replace(/(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC/g, (_, at: string) => toLocal(at));
}

export function Message({ text, class: className }: { text: string; class?: string }) {
  return <bdi class={className}>{useLocalText()(text)}</bdi>;
}

const toIso = (at: string) => `${at.replace(' ', 'T')}Z`;

interface RelativeTimeProps {
  /** A time of the warehouse (`YYYY-MM-DD HH:MM:SS` UTC); null: `never`. */
  at: string | null;
  now: number;
}

/** `5 min ago`. */
export function RelativeTime({ at, now }: RelativeTimeProps) {
  const toLocal = useLocalTime();
  if (at === null) return <>never</>;
  return (
    <time dateTime={toIso(at)} title={toLocal(at)}>
      {formatAgo(Math.max(0, now - fromTimestamp(at)))}
    </time>
  );
}

/** A time of the warehouse. */
export function Timestamp({ at }: { at: string }) {
  return <time dateTime={toIso(at)}>{useLocalTime()(at)}</time>;
}

/** `13:00`; with the day if it is a day away or more: within it, the time is that of one moment. */
export function ClockTime({ at, now }: { at: string; now: number }) {
  const isNear = Math.abs(fromTimestamp(at) - now) < DAY_MS;
  return <time dateTime={toIso(at)}>{useLocalTime()(at).slice(isNear ? 11 : 0, 16)}</time>;
}

/** The duration between two times of the warehouse, which have whole seconds. */
export function formatElapsed(from: string, to: string): string {
  const ms = fromTimestamp(to) - fromTimestamp(from);
  return ms < 1_000 ? 'under 1s' : formatDuration(ms);
}

/** `+1.2 GiB`, `−3 MiB`, `no change`. */
export function formatSizeChange(bytes: number): string {
  if (bytes === 0) return 'no change';
  return `${bytes > 0 ? '+' : '\u2212'}${formatBinaryBytes(Math.abs(bytes))}`;
}

/** `+5 GiB (+0.2 %)`, `no change`; without the share where there was nothing before. */
export function describeDelta({ bytes, share }: { bytes: number; share: number | null }): string {
  if (share === null || bytes === 0) return formatSizeChange(bytes);
  const percent = Math.abs(share) * 100;
  const text =
    percent < 0.1
      ? 'under 0.1 %'
      : `${bytes > 0 ? '+' : '\u2212'}${formatCount(Number(percent.toFixed(percent < 10 ? 1 : 0)))} %`;
  return `${formatSizeChange(bytes)} (${text})`;
}

/** One decimal below ten hours. */
export function formatHours(duration: number, unit: 'ms' | 's'): string {
  const hours = duration / (unit === 'ms' ? 3_600_000 : 3_600);
  return hours < 10 ? hours.toFixed(1) : formatCount(Math.round(hours));
}

/** The length of a video, `1:02:03`; empty if it is null or negative. */
export function formatLength(duration: number | null, unit: 'ms' | 's'): string {
  if (duration === null || duration < 0) return '';
  const seconds = Math.round(unit === 'ms' ? duration / 1000 : duration);
  const two = (number: number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `1.5 GiB`; empty for null. */
export function formatSize(bytes: number | null): string {
  return bytes === null ? '' : formatBinaryBytes(bytes);
}

const LEVELS: Partial<Record<Status, string>> = { running: 'new', succeeded: 'good', failed: 'bad' };

export function StatusLabel({ status }: { status: Status }) {
  return (
    <span class={`state ${LEVELS[status] ?? 'warn'}`} title={findMeaning(status)}>
      {status}
    </span>
  );
}

interface PackageNameProps {
  of: PackageRow;
  name: string | null;
}

/** A package by its name, next to its account where there are several; without a name, by its key. */
export function PackageName({ of, name }: PackageNameProps) {
  const { hasAccounts } = useContext(Site);
  return (
    <>
      <bdi>{name ?? of.account}</bdi>
      {name === null && `/${of.package_id}`}
      {name !== null && hasAccounts && <small class="soft"> {of.account}</small>}
    </>
  );
}

export const PackageLink = (props: PackageNameProps) => (
  <a href={packagePath(props.of)} title={keyOfPackage(props.of)}>
    <PackageName {...props} />
  </a>
);

/** The text of `PackageName`. */
export function formatPackage({ of, name }: PackageNameProps, { hasAccounts }: { hasAccounts: boolean }) {
  if (name === null) return keyOfPackage(of);
  return hasAccounts ? `${name} (${of.account})` : name;
}

/** The title of a video; a placeholder if it is null or blank. */
export function Title({ title }: { title: string | null }) {
  if (title === null) return <i class="soft">no title</i>;
  return title.trim() === '' ? <i class="soft">empty title</i> : <bdi>{title}</bdi>;
}

/** A text to type; the script adds a button that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <code data-copy>
      <bdi>{text}</bdi>
    </code>
  );
}

/** The way back from a package. */
export const ALL_PACKAGES = { text: 'Packages', href: '/packages' };
