/** The messages between the worker and the process of its web server. */
import type { Config } from '../../config/config.ts';
import type { SerializedError } from '../../lib/child-process.ts';
import type { Publication } from '../../publishing/publisher.ts';

/** A message of the worker: first `serve`, then heartbeats and what it published. */
export type ToServer =
  { serve: Config } | { heartbeat: true } | { published: Pick<Publication, 'durationMs'> };

/**
 * A message of the server: first where it listens, or why it cannot, later errors that clients see as HTTP
 * 500.
 */
export type FromServer = { url: string } | { startError: SerializedError } | { error: string };

export const HEARTBEAT_MS = 5_000;

/** How long the worker may send no heartbeat before it counts as dead. */
export const DEAD_AFTER_MS = 60_000;
