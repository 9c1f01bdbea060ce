/** Possible changes of a package between two requests: arbitraries, and how each change is applied. */
import fc from 'fast-check';
import type { Fields, ListedPackage } from './listed-package.ts';

/** Positions wrap around: any number is valid, unless the list is empty. */
export type Change =
  | { kind: 'upload'; step: number; fields: Fields }
  | { kind: 'insert'; place: number; fields: Fields }
  | { kind: 'remove'; place: number }
  | { kind: 'edit'; place: number; fields: Fields }
  | { kind: 'retitle' }
  | { kind: 'recreate'; place: number; fields: Fields }
  | { kind: 'purge'; place: number; videos: number }
  | { kind: 'return'; place: number; videos: number };

/** The changes before each of the next requests, in their order. */
export type Script = readonly (readonly Change[])[];

/** No warehouse can store these lengths: such a record is in quarantine until it is valid again. */
const UNSTORABLE: readonly Fields[] = [{ duration: '' }, { duration: 12.5 }];

const WELL: readonly Fields[] = [
  { duration: 61_000 },
  { title: 'edited' },
  { cid: '' },
  { cid: null },
  { author: null },
  { author: '' },
  { season: 2 },
  { season: null },
  { season: undefined },
  { labels: { de: ['a', ''], en: null } },
];

export const fields: fc.Arbitrary<Fields> = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...WELL) },
  { weight: 1, arbitrary: fc.constantFrom(...UNSTORABLE) },
);

const place = fc.nat(999);
const constantKind = <Kind extends Change['kind']>(kind: Kind) => fc.constant(kind);

const removal = fc.record({ kind: constantKind('remove'), place });
const upload = fc.record({ kind: constantKind('upload'), step: fc.integer({ min: 1, max: 7 }), fields });
const insertion = fc.record({ kind: constantKind('insert'), place, fields });
const others = [
  fc.record({ kind: constantKind('edit'), place, fields }),
  fc.record({ kind: constantKind('recreate'), place, fields }),
];
/** Every record changes: a walk that skips a page is detected by the records that it did not store. */
const retitling = fc.record({ kind: constantKind('retitle') });
const many = fc.integer({ min: 2, max: 60 });
const purge = fc.record({ kind: constantKind('purge'), place, videos: many });
const comeback = fc.record({ kind: constantKind('return'), place, videos: many });

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: removal },
  { weight: 4, arbitrary: upload },
  { weight: 4, arbitrary: insertion },
  ...others.map((arbitrary) => ({ weight: 2, arbitrary })),
  { weight: 1, arbitrary: purge },
  { weight: 1, arbitrary: comeback },
);

/** Changes that push nothing upward in the list: no old id returns. */
const fallingChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: removal },
  { weight: 6, arbitrary: upload },
  { weight: 2, arbitrary: fc.record({ kind: constantKind('edit'), place, fields }) },
);

const createScript = (change: fc.Arbitrary<Change>) =>
  fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12, size: 'max' });

export const changes = fc.array(
  fc.oneof({ weight: 9, arbitrary: anyChange }, { weight: 1, arbitrary: retitling }),
  { minLength: 1, maxLength: 5 },
);
/** The given number of old ids is inserted at the lower end at once. */
export const growthBelow: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({ kind: constantKind('insert'), place: fc.nat(20), fields }),
  { minLength: 3, maxLength: 12, size: 'max' },
);
export const retitled: Change = { kind: 'retitle' };

export const script: fc.Arbitrary<Script> = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: createScript(fallingChange) },
  { weight: 4, arbitrary: createScript(anyChange) },
);

/** Applies the changes to the package, at this moment. */
export function change(listed: ListedPackage, all: readonly Change[], at: number): void {
  for (const each of all) changeOnce(listed, each, at);
}

function changeOnce(listed: ListedPackage, each: Change, at: number): void {
  const ids = listed.ids();
  if (each.kind === 'upload') {
    listed.add(listed.highest() + each.step, at, each.fields);
    return;
  }
  if (each.kind === 'insert') {
    insert(listed, ids, each, at);
    return;
  }
  if (each.kind === 'retitle') {
    for (const id of ids) listed.edit(id, { title: `Video ${id} as of ${at}` }, at);
    return;
  }
  if (each.kind === 'return') {
    comeBack(listed, each, at);
    return;
  }
  const id = ids[each.place % Math.max(1, ids.length)];
  if (id === undefined) return;
  if (each.kind === 'edit') listed.edit(id, each.fields, at);
  else if (each.kind === 'purge') purgeFrom(listed, ids, each, at);
  else listed.remove(id, at);
  if (each.kind === 'recreate') listed.add(id, at, each.fields);
}

/** Inserts an id below the highest that is not listed now: an unused one, or a removed one. */
function insert(
  listed: ListedPackage,
  ids: readonly number[],
  { place: at, fields: given }: Extract<Change, { kind: 'insert' }>,
  moment: number,
): void {
  const usedIds = new Set(ids);
  const free: number[] = [];
  for (let id = 1; id < listed.highest(); id++) if (!usedIds.has(id)) free.push(id);
  const id = free[at % Math.max(1, free.length)];
  if (id !== undefined) listed.add(id, moment, given);
}

/** Restores the given number of removed videos with their first contents. */
function comeBack(
  listed: ListedPackage,
  { place: first, videos }: Extract<Change, { kind: 'return' }>,
  at: number,
): void {
  const delisted = listed.delisted();
  const start = first % Math.max(1, delisted.length);
  for (const id of delisted.slice(start, start + videos)) listed.add(id, at);
}

function purgeFrom(
  listed: ListedPackage,
  ids: readonly number[],
  { place: first, videos }: Extract<Change, { kind: 'purge' }>,
  at: number,
): void {
  const start = first % ids.length;
  for (const id of ids.slice(start, start + videos)) listed.remove(id, at);
}
