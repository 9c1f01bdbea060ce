import type { Catalogue, VideoRecord } from '../../src/service/server/catalogue.ts';
import type { StorageDay } from '../../src/service/storage.ts';

/** All videos of a package by id, past HTTP. Throws where the catalogue refuses. */
export async function allRecords(catalogue: Catalogue, packageId: number): Promise<readonly VideoRecord[]> {
  const sort = { item: 'id', direction: 'asc' } as const;
  const page = await catalogue.videos({ packageId, sort, page: 1, pageSize: 1_000_000 });
  if ('refused' in page) throw new Error(page.message);
  return page.records;
}

/** The days of a range, the oldest first, past HTTP. Throws where the catalogue refuses. */
export async function allDays(
  catalogue: Catalogue,
  from: string,
  to: string,
): Promise<readonly StorageDay[]> {
  const found = await catalogue.storage({ from, to, direction: 'asc' });
  if ('refused' in found) throw new Error(found.message);
  return found.days;
}
