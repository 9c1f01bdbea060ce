/** Figures, moments and lengths as the pages show them. */
import { fromTimestamp } from '../../lib/clock.ts';
import { formatAgo, formatBinaryBytes, formatCount, formatDuration } from '../../lib/format.ts';

/** How long ago a moment of the warehouse was (`YYYY-MM-DD HH:MM:SS` UTC); `never` where there is none. */
export function RelativeTime({
  at,
  now,
  never = 'never',
}: {
  at: string | null;
  now: number;
  never?: string;
}) {
  if (at === null) return <>{never}</>;
  return (
    <time dateTime={`${at.replace(' ', 'T')}Z`} title={`${at} UTC`}>
      {formatAgo(Math.max(0, now - fromTimestamp(at)))}
    </time>
  );
}

/** A moment as it stands in the warehouse. */
export function Timestamp({ at }: { at: string }) {
  return <time dateTime={`${at.replace(' ', 'T')}Z`}>{at}</time>;
}

/** How long something took whose moments are whole seconds. */
export function formatElapsed(from: string, to: string): string {
  const ms = fromTimestamp(to) - fromTimestamp(from);
  if (ms < 1_000) return 'under 1 s';
  return ms < 60_000 ? `${ms / 1_000} s` : formatDuration(ms);
}

/** `+12`, `−3`, `±0`. */
export function signed(difference: number): string {
  if (difference === 0) return '±0';
  return `${difference > 0 ? '+' : '\u2212'}${formatCount(Math.abs(difference))}`;
}

/** A length of a video, `1:02:03`; the service counts it in `unit`. Nothing where it is not told, or is none. */
export function formatLength(duration: number | null, unit: 'ms' | 's'): string {
  if (duration === null || duration < 0) return '';
  const seconds = Math.round(unit === 'ms' ? duration / 1000 : duration);
  const two = (number: number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Bytes in words; nothing where they are not told. */
export function formatByteTitle(bytes: number | null): string {
  return bytes === null ? '' : formatBinaryBytes(bytes);
}

/** A title as it is; in other words where there is none. */
export function Title({ of: title }: { of: string | null }) {
  if (title === null) return <i class="soft">no title</i>;
  return title.trim() === '' ? <i class="soft">an empty title</i> : <bdi>{title}</bdi>;
}

/** Where a package has its page. */
export function packagePath({ account, package_id: id }: { account: string; package_id: number }): string {
  return `/packages/${encodeURIComponent(account)}/${id}`;
}

/** Where a video has its page. */
export function videoPath(video: { account: string; package_id: number; id: number }): string {
  return `${packagePath(video)}/videos/${video.id}`;
}

/** The title of a video, leading to its page. */
export function VideoLink({ of: video }: { of: Parameters<typeof videoPath>[0] & { title: string | null } }) {
  return (
    <a href={videoPath(video)}>
      <Title of={video.title} />
    </a>
  );
}

/** The query of an address: what is null is left out. */
export function toQueryString(values: Record<string, string | number | null>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
