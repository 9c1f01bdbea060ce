/** What goes to an S3-compatible store, and what comes back. */
import type { Body } from '../store.ts';
import type { ErrorDocument } from './s3-answers.ts';

export interface S3Request {
  method: 'GET' | 'PUT' | 'DELETE';
  /** The key in the bucket; null: the bucket itself. */
  key: string | null;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Body;
}

export interface S3Answer {
  status: number;
  etag: string | null;
  body: Buffer;
  /** What an answer with an error says of it. */
  error: ErrorDocument;
  /** An earlier attempt got no answer, or an error: it may have been carried out. */
  isRepeated: boolean;
  /** Milliseconds that the clock of this machine is behind that of the store: negative where it is ahead; null: not told. */
  behindMs: number | null;
}
