/** What the pages are built from, how they are added to the server, and their query parameters. */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import * as z from 'zod';
import type { HealthParts } from '../../health/facts.ts';
import { createCalendar } from '../../lib/calendar.ts';
import type { Clock } from '../../lib/clock.ts';
import type { WideReads } from '../../queries/wide-reads.ts';
import type { PageFrame } from './layout.tsx';

export interface PageSources extends HealthParts {
  wideReads: WideReads;
  clock: Pick<Clock, 'now'>;
  /** When the next full run after `now` is due, both in ms since 1970. */
  nextRun: (now: number) => number;
}

/** Null: no such page (404). */
export type PageRenderer = (request: FastifyRequest, reply: FastifyReply) => Promise<VNode | null>;

/**
 * A file of a page; the browser shows it if `fileName` is null. `type`: with its charset. `bytes`: the length
 * of a stream.
 */
interface Download {
  type: string;
  fileName: string | null;
  content: string | Readable;
  bytes?: number;
}

export interface Routing {
  sources: PageSources;
  frame: PageFrame;
  /** Adds a page: with a key only, in HTML. */
  page: (path: string, render: PageRenderer) => void;
  /** Adds a file to download: with a key only. `fileName` must be plain. Null: no such file (404). */
  download: (path: string, read: (request: FastifyRequest) => Download | null) => void;
}

/** The day of the service's calendar, `YYYY-MM-DD`; `now` is in ms since 1970. */
export const findToday = ({ timezone }: { timezone: string }, now: number): string =>
  createCalendar(timezone).dayAt(now);

/** A query parameter that counts as missing if it is invalid. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().catch(null).default(null);

/** Null if missing, blank or longer than 200 characters. */
export const textParam = optional(z.string().trim().min(1).max(200));

/** An id in a path: digits only, not `1e3` or `0x65`. */
export const idParam = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,15})$/)
  .transform(Number)
  .pipe(z.int().min(0));

/** A page number, from 1. */
export const pageParam = z.coerce
  .number()
  .int()
  .min(1)
  .max(2 ** 31)
  .catch(1);
