/** Where the files of a lake are: a folder, or a bucket. Keys are relative, their parts joined by `/`. */

/** The bytes of an object, in pieces. */
export type Body = readonly Uint8Array[];

export interface StoredFile {
  key: string;
  /** How long ago it was written, by the clock of the store, in milliseconds. */
  ageMs: number;
}

/**
 * The five operations that a lake needs. What was written is durable once the promise resolves, and never visible in part.
 * They throw StoreError.
 */
export interface Store {
  /** As it may be printed: `/srv/lake`, `s3://bucket/prefix`. */
  readonly name: string;
  /** Null if there is no such object. */
  get: (key: string) => Promise<Uint8Array | null>;
  /** Writes an object, also over an older one. */
  put: (key: string, body: Body) => Promise<void>;
  /** Writes an object where there is none. False if there is one, which may be this one where an answer was lost. */
  putIfAbsent: (key: string, body: Body) => Promise<boolean>;
  /** The objects below a folder (`videos/`), without those of folders in it; sorted by key; those after `after` only. */
  list: (folder: string, after?: string) => Promise<StoredFile[]>;
  /** Deletes an object; one that is not there is no error. */
  remove: (key: string) => Promise<void>;
}

/** What a store answered, or why it did not. The message has no secret. */
export class StoreError extends Error {
  /** The store's own code, such as `AccessDenied`, or that of the system, such as `ENOSPC`; null if there is none. */
  readonly code: string | null;
  readonly hint: string | null;

  constructor(message: string, facts: { code?: string | null; hint?: string | null; cause?: unknown } = {}) {
    super(message, { cause: facts.cause });
    this.code = facts.code ?? null;
    this.hint = facts.hint ?? null;
  }
}
