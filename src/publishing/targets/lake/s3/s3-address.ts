/** The addresses of a bucket and of its objects. */
import type { S3Place } from '../store.ts';

/** The address of the store itself: that of the config, or of AWS in the region. */
export function toEndpoint({ endpoint, region }: Pick<S3Place, 'endpoint' | 'region'>): URL {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return new URL(endpoint ?? `https://s3.${region}.${domain}`);
}

/** The key of an object in its bucket: with the prefix of the lake. */
export const toBucketKey = ({ prefix }: Pick<S3Place, 'prefix'>, key: string): string =>
  prefix === '' ? key : `${prefix}/${key}`;

/** The address of an object, or of the bucket where `bucketKey` is null. Each part of the key is percent-encoded. */
export function toAddress(place: S3Place, bucketKey: string | null, query: Record<string, string> = {}): URL {
  const url = toEndpoint(place);
  const { bucket, isPathStyle } = place;
  if (!isPathStyle) url.hostname = `${bucket}.${url.hostname}`;
  const parts = [...(isPathStyle ? [bucket] : []), ...(bucketKey === null ? [] : bucketKey.split('/'))];
  url.pathname = `/${parts.map(encodeURIComponent).join('/')}`;
  url.search = Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return url;
}
