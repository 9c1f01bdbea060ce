/** Where the files of a lake are: a folder, or a bucket. Keys are relative, their parts joined by `/`. */

/** The bytes of an object, in pieces. */
export type Body = readonly Uint8Array[];

export interface StoredFile {
  key: string;
  /** How long ago it was written, by the clock of the store, in milliseconds. */
  ageMs: number;
}

/**
 * The five operations that a lake needs. What was written is durable once the promise resolves, and never
 * visible in part. They throw TargetError.
 */
export interface Store {
  /** As it may be printed: `/srv/lake`, `s3://bucket/prefix`. */
  readonly name: string;
  /** Null if there is no such object. */
  get: (key: string) => Promise<Uint8Array | null>;
  /** Writes an object, also over an older one. */
  put: (key: string, body: Body) => Promise<void>;
  /** Writes an object where there is none. False if there is one: this one, where an answer was lost. */
  putIfAbsent: (key: string, body: Body) => Promise<boolean>;
  /** The objects below a folder (`videos/`), without those of folders in it; sorted by key. */
  list: (folder: string) => Promise<StoredFile[]>;
  /** Deletes an object; one that is not there is no error. */
  remove: (key: string) => Promise<void>;
}
