/** The kinds of stores. */
import type { LakePlace } from '../../../lib/lake-place.ts';
import type { Store } from './store.ts';

/** Connects when needed. */
export async function openStore(place: LakePlace): Promise<Store> {
  if (place.kind === 'folder') return (await import('./folder.ts')).openFolder(place.path);
  return (await import('./s3.ts')).openBucket(place);
}
