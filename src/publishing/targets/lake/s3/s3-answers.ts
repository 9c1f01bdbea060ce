/** What an S3-compatible store writes as XML: a page of a list, and an error. */
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import type { ListedObject } from '../store.ts';

/** One page of ListObjectsV2. Keys are those of the bucket. */
export interface ListPage {
  objects: ListedObject[];
  /** Asks for the next page; null: this is the last one. */
  next: string | null;
}

/** What an answer with an error says of it. Everything else in it is left alone: it may repeat a signature or a token. */
export interface ErrorDocument {
  code: string | null;
  message: string | null;
  /** Where the bucket is, if the store says so. */
  region: string | null;
}

/** Null if the answer is no page of a list. Throws nothing. */
export function parseListPage(body: Uint8Array): ListPage | null {
  const root = parseRoot(body);
  if (root?.name !== 'ListBucketResult') return null;
  const isEncoded = textOf(root, 'EncodingType') === 'url';
  const objects = elementsOf(root, 'Contents').map((each) => toListed(each, isEncoded));
  if (objects.some((each) => each === null)) return null;
  const next = textOf(root, 'IsTruncated') === 'true' ? textOf(root, 'NextContinuationToken') : null;
  return { objects: objects.filter((each) => each !== null), next };
}

function toListed(contents: XmlElement, isEncoded: boolean): ListedObject | null {
  const [key, size, modified] = ['Key', 'Size', 'LastModified'].map((name) => textOf(contents, name));
  const etag = textOf(contents, 'ETag');
  const modifiedAtMs = Date.parse(modified ?? '');
  if (!key || !/^\d+$/.test(size ?? '') || Number.isNaN(modifiedAtMs)) return null;
  return {
    key: isEncoded ? decode(key) : key,
    bytes: Number(size),
    etag: etag === null ? null : toEtag(etag),
    modifiedAtMs,
  };
}

/** As `encoding-type=url` has it: a space is `+`. */
function decode(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key;
  }
}

/** All null if the answer is no error of S3. Throws nothing. */
export function parseError(body: Uint8Array): ErrorDocument {
  const root = parseRoot(body);
  if (root?.name !== 'Error') return { code: null, message: null, region: null };
  return { code: textOf(root, 'Code'), message: textOf(root, 'Message'), region: textOf(root, 'Region') };
}

/** An ETag without its quotes: proxies mark some as weak. */
export const toEtag = (header: string): string => header.replace(/^(?:W\/)?"(.*)"$/, '$1');

function parseRoot(body: Uint8Array): XmlElement | null {
  try {
    return parseXml(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')).root;
  } catch {
    return null;
  }
}

const elementsOf = (parent: XmlElement, name: string): XmlElement[] =>
  parent.children.filter((child): child is XmlElement => child instanceof XmlElement && child.name === name);

/** Null where there is no such element, or an empty one. */
const textOf = (parent: XmlElement, name: string): string | null =>
  elementsOf(parent, name)[0]?.text.trim() || null;
