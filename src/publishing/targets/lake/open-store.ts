/** The store of a lake by what the config says of its place. */
import { openFolderStore } from './folder-store.ts';
import { openS3Store } from './s3/s3-store.ts';
import type { LakePlace, Store } from './store.ts';

/** Connects when needed. The caller closes it. */
export const openStore = (place: LakePlace): Store =>
  place.kind === 'folder' ? openFolderStore(place.path) : openS3Store(place);
