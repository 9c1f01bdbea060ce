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

/** The page of all changes; null and missing filters are left out. */
export function changesPath({
  package: of = null,
  kind = null,
  run = null,
  from = null,
}: ChangeFilters): string {
  const given = Object.entries({
    package: of,
    kind,
    run,
    from: from && `${from.first}.${from.later}`,
  }).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  return given.length === 0 ? '/changes' : `/changes?${new URLSearchParams(given).toString()}`;
}

interface ChangeFilters {
  package?: string | null;
  kind?: string | null;
  run?: number | null;
  from?: { first: number; later: number } | null;
}
