/** Manifests that are not those of a load of rows. */
import { nowText, type Lake } from './lake.ts';
import type { LakeOwner } from './layout.ts';
import type { Manifest, Pointer } from './documents.ts';

/** Who begins it. */
export interface Author {
  warehouseId: string;
  version: string;
  timezone: string;
}

/** A manifest without files, for an owner that is claimed first, or whose manifest is gone: its pointer is what is known. */
export function emptyManifest(
  lake: Lake,
  owner: LakeOwner,
  before: Pointer | null,
  { warehouseId, version, timezone }: Author,
): Manifest {
  const { worker, instance } = lake.holder;
  return {
    ...{ format: 1, owner, load: before?.load ?? 0 },
    facts: before?.facts ?? {
      ...{ kind: 'claim', warehouse_id: warehouseId, worker, instance, epoch: 0, timeline: null },
      ...{ former_timelines: [], shape: null, change_seq: 0, rows: 0, version, timezone },
      ...{ loaded_at: nowText(lake), anchors: [], accounts: [] },
    },
    state: before?.state ?? { published_at: null, last_run: 0, verified_at: null, status: null },
    ...{ tables: [], booked: {}, superseded: [], set_aside: [] },
  };
}
