/** The messages between the worker and the process of its web server. */
import type { Config } from '../../config/config.ts';
import type { TargetFleet } from '../../lib/fleet.ts';
import type { SerializedError } from '../../lib/serialize-error.ts';
import type { Publication } from '../../publishing/publisher.ts';

/** First `serve`; then heartbeats of the worker, what it published, and what targets say where the server asked. */
export type ToServer =
  | { serve: Config }
  | { heartbeat: true }
  | { published: Pick<Publication, 'durationMs'> }
  | { fleets: TargetFleet[] };

/** First where it listens, or why it cannot; later errors that clients only see as HTTP 500, and a question for what targets say. */
export type FromServer =
  { url: string } | { startError: SerializedError } | { error: string } | { wantsFleets: true };

export const HEARTBEAT_MS = 5_000;

/** Without a heartbeat for this long the worker counts as dead. */
export const DEAD_AFTER_MS = 60_000;
