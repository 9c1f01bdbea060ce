/** What is used of pg-copy-streams, which has no types of its own. */
declare module 'pg-copy-streams' {
  import type { Submittable } from 'pg';
  import type { Readable, Writable } from 'node:stream';

  export function from(sql: string): Writable & Submittable & { rowCount: number };
  export function to(sql: string): Readable & Submittable;
}
