/** Publications as text and as JSON. */
import { VodhouseError } from '../../lib/errors.ts';
import { formatBytes, formatDuration, pluralize } from '../../lib/format.ts';
import type { Publication } from '../../publishing/publisher.ts';
import { displayPath } from './output.ts';

/** The result of publishing after a run: null if nothing is published or had changed, an error where it failed. */
export type PublishResult = Publication | VodhouseError | null;

/** A publication in one line, for logs and summaries. */
export function publicationLine({ file, bytes, durationMs, rows }: Publication): string {
  const videos = rows['videos'] ?? 0;
  const parts = [
    pluralize(videos, 'video'),
    pluralize(videos + (rows['video_history'] ?? 0), 'version'),
    pluralize(rows['storage_daily'] ?? 0, 'day of storage', 'days of storage'),
    formatBytes(bytes),
  ];
  return `published ${displayPath(file)}: ${parts.join(', ')} in ${formatDuration(durationMs)}`;
}

/** Ends with a line feed. */
export function publicationText(publication: Publication): string {
  return `${publicationLine(publication)}\n`;
}

/** Empty where nothing was published. */
export function publishResultText(result: PublishResult): string {
  if (result === null) return '';
  if (!(result instanceof VodhouseError)) return publicationText(result);
  const hint = result.hint ? `  -> ${result.hint}\n` : '';
  return `not published: ${result.message}\n${hint}`;
}

/** For a JSON document. */
export function publishResultDocument(result: PublishResult) {
  if (result instanceof VodhouseError) return { error: result.message, hint: result.hint ?? null };
  return result && publicationDocument(result);
}

export function publicationDocument({ file, bytes, durationMs, rows }: Publication) {
  return { file, bytes, duration_ms: Math.round(durationMs), rows };
}
