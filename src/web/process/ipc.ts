/** What the worker and the process of its server say to each other. */
import type { Config } from '../../config/config.ts';
import type { SerializedError } from '../../lib/serialize-error.ts';
import type { Publication } from '../../publishing/publisher.ts';

/** To the server: first what to serve, then that the worker lives, and what it published. */
export type ToServer = { serve: Config } | { lives: true } | { published: Pick<Publication, 'durationMs'> };

/** From the server: where it listens, or why it cannot; later what went wrong while it answered. */
export type FromServer = { url: string } | { refused: SerializedError } | { failed: string };

/** How often the worker says that it lives, in milliseconds. */
export const SIGN_OF_LIFE_MS = 5_000;

/** Without a sign for so long, the worker counts as dead. */
export const DEAD_AFTER_MS = 60_000;
