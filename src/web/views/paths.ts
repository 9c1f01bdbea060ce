/** The addresses of the pages of packages, videos and storage. */

export function packagePath({ account, package_id: id }: { account: string; package_id: number }): string {
  return `/packages/${encodeURIComponent(account)}/${id}`;
}

/** The address of the page of storage, or of its image or CSV. `month` null: all days. */
export function storagePath(
  { account, month = null }: { account: string; month?: string | null },
  ending: '' | '.svg' | '.csv' = '',
): string {
  const query = new URLSearchParams({ account, ...(month === null ? {} : { month }) });
  return `/storage${ending}?${query.toString()}`;
}

export function videoPath(video: { account: string; package_id: number; id: number }): string {
  const { account, package_id: packageId, id } = video;
  return `/videos/${encodeURIComponent(account)}/${packageId}/${id}`;
}

export function runPath(runId: number): string {
  return `/runs/${runId}`;
}

/** The list of videos and changes. */
export function changesPath(query: Record<string, string | number | null>): string {
  return `/changes${toQueryString(query)}`;
}

/** `?a=1&b=2` without null values; empty if all are null. */
export function toQueryString(values: Record<string, string | number | null>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
