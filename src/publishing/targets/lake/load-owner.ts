/** One load of one owner: what is written, when it counts, and what it leaves to be swept. */
import { randomBytes } from 'node:crypto';
import { StaleSourceError } from '../load-errors.ts';
import { getLastRun } from '../delta.ts';
import type { Source } from '../source.ts';
import type { LakeContent } from './contents.ts';
import type { LakeTable, LakeState, LoadFacts, Manifest } from './documents.ts';
import { rollForward } from './head.ts';
import { nowText, type Lake } from './lake.ts';
import type { LakeOwner } from './layout.ts';
import { readBase } from './restore-manifest.ts';
import { changeState, commit, listFiles, type Head } from './pointer.ts';
import { renewSign } from './sign.ts';
import {
  isSweepDue,
  listAndSweepOrphans,
  listSuperseded,
  sweepSuperseded,
  withoutDamaged,
} from './superseded.ts';
import { toLateLoad } from './with-store.ts';
import type { Writing } from './write-tables.ts';

/** What a load writes into its manifest, besides what every load does. */
export interface LoadDraft extends Partial<Pick<Manifest, 'booked' | 'set_aside'>> {
  tables: LakeTable[];
  facts: Pick<LoadFacts, 'kind'> & Partial<LoadFacts>;
  state: Partial<LakeState>;
}

export interface OwnerLoad {
  owner: LakeOwner;
  /** The last load; null where there is none. */
  head: Head | null;
  contents: readonly LakeContent[];
  /** Write everything again, also what the lake has. */
  isWhole: boolean;
  /** Writes the tables; `kept` is what may be used again of the last load. */
  write: (writing: Writing, base: Manifest, kept: readonly LakeTable[]) => Promise<LoadDraft>;
}

export interface OwnerLoaded {
  kind: 'first' | 'changes' | 'reload' | 'nothing';
  rows: number;
  head: Head;
  /** Files were deleted, though nothing is new. */
  isSwept: boolean;
}

/** The pointer that was read is not the last load: `head` is. Nothing was written. */
export class PointerMovedError extends Error {
  constructor(readonly head: Head | null) {
    super('the pointer was moved');
  }
}

/** Throws PointerMovedError, LostLeaseError, StaleSourceError, StoreError, and what SQLite throws; then readers see nothing of the load. */
export async function loadOwner(lake: Lake, source: Source, load: OwnerLoad): Promise<OwnerLoaded> {
  const { owner, head, contents, isWhole } = load;
  if (source.isReplaced()) throw new StaleSourceError();
  const isSame = !isWhole && head !== null && hasChecksums(head, contents);
  if (isSame && !isSweepDue(lake, head))
    return { kind: 'nothing', rows: 0, head: await recordPublication(lake, source, head), isSwept: false };
  const newest = await rollForward(lake, owner, head);
  if (newest !== head) throw new PointerMovedError(newest);
  await renewSign(lake);
  const number = head?.pointer.load ?? 0;
  const base = await readBase(lake, owner, head, source);
  const names = contents.map(({ name }) => name);
  const sizes = await listAndSweepOrphans(lake, owner, names, base);
  const writing: Writing = {
    ...{ lake, source, owner, load: number + 1, attempt: randomBytes(4).toString('hex'), parts: new Map() },
    deadline: performance.now() + lake.options.loadTimeoutMs,
    facts: toFooter(source, owner),
  };
  const draft = await load.write(writing, base, isWhole ? [] : withoutDamaged(base.tables, sizes));
  const rows = countWritten(base, draft.tables);
  const kind = isSame && rows === 0 ? 'swept' : draft.facts.kind;
  const manifest = await toManifest(
    lake,
    head,
    base,
    { ...draft, facts: { ...draft.facts, kind, rows } },
    source,
  );
  if (performance.now() > writing.deadline) throw toLateLoad(lake.options.loadTimeoutMs);
  const committed = await commit(lake, head, { ...manifest, load: number + 1 });
  return {
    kind: kind === 'swept' ? 'nothing' : (draft.facts.kind as OwnerLoaded['kind']),
    rows,
    head: committed,
    isSwept: kind === 'swept',
  };
}

async function toManifest(
  lake: Lake,
  head: Head | null,
  base: Manifest,
  draft: LoadDraft,
  { version, timezone, publishedAt }: Source,
): Promise<Manifest> {
  const { worker, instance } = lake.holder;
  const set_aside = draft.set_aside ?? base.set_aside;
  const superseded = listSuperseded(lake, base, draft.tables, set_aside);
  return {
    ...base,
    ...{ restored: undefined, tables: draft.tables, booked: draft.booked ?? base.booked, set_aside },
    facts: {
      ...base.facts,
      ...{ worker, instance, version, timezone, loaded_at: nowText(lake) },
      ...draft.facts,
    },
    state: { ...(head?.pointer.state ?? base.state), published_at: publishedAt, ...draft.state },
    superseded: await sweepSuperseded(lake, superseded),
  };
}

const countWritten = (base: Manifest, tables: readonly LakeTable[]): number => {
  const known = new Set(base.tables.flatMap(listFiles).map(({ key }) => key));
  return tables.flatMap(listFiles).reduce((sum, { key, rows }) => sum + (known.has(key) ? 0 : rows), 0);
};

function hasChecksums({ pointer: { checksums } }: Head, contents: readonly LakeContent[]): boolean {
  if (Object.keys(checksums).length !== contents.length) return false;
  return contents.every(({ name, checksums: ours }) => {
    const theirs = Object.entries(checksums[name] ?? { '?': '' });
    return theirs.length === ours.size && theirs.every(([slice, checksum]) => ours.get(slice) === checksum);
  });
}

/** The lake has everything that is in the file: that alone is news. */
async function recordPublication(lake: Lake, source: Source, head: Head): Promise<Head> {
  const { published_at: before } = head.pointer.state;
  if (before === source.publishedAt) return head;
  const state = { published_at: source.publishedAt, last_run: getLastRun(source) };
  return (await changeState(lake, head, state)) ?? head;
}

/** So that a file tells where it comes from without its manifest. */
function toFooter(source: Source, owner: LakeOwner): Record<string, string> {
  const { version, timezone, warehouseId, publishedAt, shape, changeSeq } = source;
  const timeline = owner !== 'all' && 'account' in owner ? source.timeline : source.timeline;
  const facts = { version, timezone, warehouse_id: warehouseId, timeline, shape };
  return Object.fromEntries(
    Object.entries({ ...facts, change_seq: String(changeSeq), published_at: publishedAt }).map(
      ([name, value]) => [`vodhouse.${name}`, value] as const,
    ),
  );
}
