/** Where a lake is: a folder, or a bucket of an S3-compatible store; and what of it may be printed. */

export type LakePlace = { readonly kind: 'folder'; readonly path: string } | S3Place;

export interface S3Place {
  readonly kind: 's3';
  readonly bucket: string;
  /** Without `/` at its ends; empty: the whole bucket. */
  readonly prefix: string;
  /** `https://host[:port]`; null: that of AWS in the region. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** The login of a store: none of it may ever be printed. */
export function listLakeSecrets(place: LakePlace): string[] {
  if (place.kind === 'folder') return [];
  const { accessKeyId, secretAccessKey, sessionToken } = place;
  return [accessKeyId, secretAccessKey, ...(sessionToken === null ? [] : [sessionToken])];
}

/** The place as it may be printed: `/srv/lake`, `s3://bucket/prefix`. */
export const formatLakePlace = (place: LakePlace): string =>
  place.kind === 'folder'
    ? place.path
    : `s3://${place.bucket}${place.prefix === '' ? '' : `/${place.prefix}`}`;
