/** The store of a lake by what the config says of its place. */
import { openFolderStore } from './folder-store.ts';
import { StoreError, type LakePlace, type Store } from './store.ts';

/** Connects when needed. The caller closes it. */
export function openStore(place: LakePlace): Store {
  if (place.kind === 'folder') return openFolderStore(place.path);
  throw new StoreError(`s3://${place.bucket}/${place.prefix}: a lake is on a folder only`, {
    retry: 'hourly',
  });
}
