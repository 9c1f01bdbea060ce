/** The addresses of the pages. */
import type { PackageRow } from '../../sync/package-key.ts';

export const videoPath = ({ account, package_id: packageId, id }: PackageRow & { id: number }): string =>
  `/videos/${encodeURIComponent(account)}/${packageId}/${id}`;

export const runPath = (runId: number): string => `/runs/${runId}`;

/** The page of storage, or its image or CSV. `account` null: all accounts; `month` null: all days. */
export const storagePath = (
  query: { account: string | null; month?: string | null },
  ending: '' | '.svg' | '.csv' = '',
) => `/storage${ending}${toQueryString(query)}`;

/** The list of videos and changes. */
export const changesPath = (query: Record<string, string | number | null>): string =>
  `/changes${toQueryString(query)}`;

/** `?a=1&b=2` without null values; empty if all are null. */
export function toQueryString(values: Record<string, string | number | null>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
