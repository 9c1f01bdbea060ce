/** Where the files of a lake are: a folder, or a bucket of an S3-compatible store. Keys are relative, their parts joined by `/`. */

/** The bytes of an object, in pieces. */
export type Body = readonly Uint8Array[];

export interface StoredObject {
  body: Uint8Array;
  /** Another one after each change of the object. */
  etag: string;
}

export interface ListedObject {
  key: string;
  bytes: number;
  /** Null where the store does not know it without reading the object: a folder. */
  etag: string | null;
  /** In milliseconds since 1970, by the clock of the store. */
  modifiedAtMs: number;
}

/**
 * The few operations that a lake needs. What was written is durable once the promise resolves, and never visible in part. All
 * of them try again by themselves after errors that pass by. They throw StoreError.
 */
export interface Store {
  /** For messages, without any secret: `/srv/lake`, `s3://bucket/prefix`. */
  readonly name: string;
  /** Null if there is no such object. */
  get: (key: string) => Promise<StoredObject | null>;
  /** Writes an object, also over an older one. Returns its ETag. */
  put: (key: string, body: Body) => Promise<string>;
  /** Writes an object where there is none. Returns its ETag, or null if there is another one: one with other bytes, where an answer was lost. */
  putIfAbsent: (key: string, body: Body) => Promise<string | null>;
  /** Writes over the object with this ETag. Returns the new one, or null if the object is another one now, or is gone. */
  replace: (key: string, body: Body, etag: string) => Promise<string | null>;
  /** The objects whose keys begin with `prefix` (a folder: it ends with `/`), sorted by key; those after `after` only. */
  list: (prefix: string, after?: string) => AsyncIterable<ListedObject>;
  /** Deletes objects; those that are not there are no error. */
  remove: (keys: readonly string[]) => Promise<void>;
  /** The clock of the store, as far as its last answer tells, in milliseconds since 1970. */
  now: () => number;
  /** The address of an object as readers use it: an absolute path, or `s3://…`. */
  toUri: (key: string) => string;
  close: () => Promise<void>;
}

/** What a store answered, or why it did not. The message has neither a key of the login nor a signature. */
export class StoreError extends Error {
  /** The store's own code, such as `AccessDenied` or `NoSuchBucket`, or that of the system, such as `ENOSPC`. */
  readonly code: string | null;
  readonly hint: string | null;
  /** `hourly`: a person must do something first. */
  readonly retry: 'backoff' | 'hourly';

  constructor(
    message: string,
    facts: { code?: string | null; hint?: string | null; retry?: 'backoff' | 'hourly'; cause?: unknown } = {},
  ) {
    super(message, { cause: facts.cause });
    this.code = facts.code ?? null;
    this.hint = facts.hint ?? null;
    this.retry = facts.retry ?? 'backoff';
  }
}

/** Where a lake is. */
export type LakePlace = { kind: 'folder'; path: string } | S3Place;

export interface S3Place {
  kind: 's3';
  bucket: string;
  /** Without `/` at its ends; empty: the whole bucket. */
  prefix: string;
  /** `https://host[:port]`; null: that of AWS in the region. */
  endpoint: string | null;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | null;
  /** The bucket in the path of the address, not in the host. */
  isPathStyle: boolean;
}

/** What the config says of a lake. */
export interface LakeOptions {
  name: string;
  place: LakePlace;
  /** How long superseded files stay, in milliseconds. */
  keepMs: number;
  compression: 'snappy' | 'gzip';
  /** How long one load of an account may take, in milliseconds. */
  loadTimeoutMs: number;
}
