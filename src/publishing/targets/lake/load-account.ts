/** One load of an account into a lake: files of what changed, one manifest, one pointer. */
import { findNewest, getLastRun, hasAnchor } from '../delta.ts';
import { describeBooked, describeLostDays } from '../findings.ts';
import { selectOwned } from '../shipped-tables.ts';
import type { Source } from '../source.ts';
import type { Finding, Loaded } from '../target.ts';
import { findContradicted, readBookedDays, readDaysOfLake, selectWithBooked } from './booked-days.ts';
import { chooseKind, type ChosenKind } from './choose-kind.ts';
import { listAccountContents, type LakeContent, type Rows } from './contents.ts';
import type { LakeTable, LoadFacts, Manifest } from './documents.ts';
import { nowText, type Lake } from './lake.ts';
import { loadOwner, type OwnerLoaded } from './load-owner.ts';
import { listFiles, type Head } from './pointer.ts';
import { writeHistory } from './write-history.ts';
import { writeFiles, writeTable, type Writing } from './write-tables.ts';

export interface AccountLoad {
  source: Source;
  account: string;
  /** The last load, which this worker holds. */
  head: Head;
  /** Write everything again, whatever the lake has. */
  isRebuild: boolean;
}

/** How many states of earlier loads are looked for in the published file. */
const ANCHORS = 20;

/** Loads the account. Throws PointerMovedError, the errors of load-errors.ts and StoreError; then readers see nothing of it. */
export async function loadAccount(
  lake: Lake,
  options: AccountLoad,
): Promise<Loaded & Pick<OwnerLoaded, 'head' | 'isSwept'>> {
  const { source, account, head, isRebuild } = options;
  const chosen = chooseKind(source, account, head.pointer, isRebuild);
  const contents = listAccountContents(source, account);
  const findings: Finding[] = [];
  const done = await loadOwner(lake, source, {
    ...{ owner: { account }, head, contents, isWhole: chosen.kind !== 'changes' },
    write: async (writing, base, kept) => {
      const ours = readBookedDays(source, account);
      const booked = await findBooked(lake, source, account, base);
      const contradicted = findContradicted(booked, ours);
      const daysOfLake =
        isRebuild || contradicted.length === 0
          ? null
          : await selectWithBooked(lake, source, account, findDaily(base), contradicted);
      const days = daysOfLake?.found ?? [];
      findings.push(...describeBooked(account, days));
      findings.push(
        ...describeLostDays(
          account,
          daysOfLake === null ? [] : contradicted.filter((day) => !days.includes(day)),
        ),
      );
      const isLost = chosen.isLost && hasLostStates(source, account, base);
      const setAside = listSetAside(lake, base, isLost, isRebuild && contradicted.length > 0);
      findings.push(...describeReload(account, chosen, base, setAside));
      return {
        tables: await writeTables(
          writing,
          options,
          contents,
          kept,
          base,
          days.length === 0 ? null : (daysOfLake?.rows ?? null),
        ),
        booked: {
          ...Object.fromEntries([...ours].map(([day, { hash }]) => [day, hash] as const)),
          ...Object.fromEntries(days.map((day) => [day, booked[day] ?? ''] as const)),
        },
        set_aside: [...base.set_aside, ...setAside],
        facts: toFacts(source, account, base.facts, chosen),
        state: { published_at: source.publishedAt, last_run: getLastRun(source), status: null },
      };
    },
  });
  return { ...done, findings };
}

/** The booked days of the lake: where the manifest that named them was lost, those of its files, too. */
async function findBooked(
  lake: Lake,
  source: Source,
  account: string,
  base: Manifest,
): Promise<Manifest['booked']> {
  if (base.restored !== true) return base.booked;
  return { ...base.booked, ...(await readDaysOfLake(lake, source, account, findDaily(base))) };
}

const DAILY = 'storage_daily';
const findDaily = ({ tables }: Manifest) => tables.find(({ table }) => table === DAILY);

/** Days that stay as the lake has them are written from its own files; the next load compares them again. */
async function writeTables(
  writing: Writing,
  { account }: AccountLoad,
  contents: readonly LakeContent[],
  kept: readonly LakeTable[],
  base: Manifest,
  daysOfLake: Rows | null,
): Promise<LakeTable[]> {
  const tables: LakeTable[] = [];
  for (const content of contents) {
    const before = kept.find(({ table }) => table === content.name);
    if (content.name === 'video_history' && before) {
      const mark = base.facts.change_seq;
      tables.push(await writeHistory(writing, account, content, { table: before, mark }));
    } else if (content.name === DAILY && daysOfLake !== null) {
      const files = await writeFiles(writing, content, '', daysOfLake, null);
      tables.push({ table: content.name, slices: [{ slice: '', checksum: 'booked days differ', files }] });
    } else tables.push(await writeTable(writing, content, before));
  }
  return tables;
}

function toFacts(
  source: Source,
  account: string,
  before: LoadFacts,
  { kind }: ChosenKind,
): Pick<LoadFacts, 'kind' | 'timeline' | 'former_timelines' | 'shape' | 'change_seq' | 'anchors'> {
  const { db, marts, shape } = source;
  const newest = findNewest(db, selectOwned(marts.videos, { account }));
  const timeline = source.timeline;
  const isSame = before.timeline === timeline && kind === 'changes'; // a complete load has replaced what others brought
  const mark = isSame ? before.change_seq : 0;
  const isNew = newest !== null && (newest.changeSeq > mark || !isSame);
  const former = [...before.former_timelines, ...(before.timeline === null ? [] : [before.timeline])];
  const anchors = isSame ? before.anchors : [];
  return {
    ...{ kind, timeline, shape },
    former_timelines: [...new Set(former)].filter((each) => each !== timeline),
    change_seq: kind === 'changes' ? Math.max(mark, newest?.changeSeq ?? 0) : (newest?.changeSeq ?? 0),
    anchors: isNew ? [newest, ...anchors].slice(0, ANCHORS) : anchors,
  };
}

/** Has the lake states that the published file has not? */
const hasLostStates = (source: Source, account: string, { facts }: Manifest): boolean =>
  facts.timeline !== source.timeline ||
  facts.anchors.some((anchor) => hasAnchor(source, account, anchor) === false);

const OF_STATES = ['videos', 'video_history'];
const OF_DAYS = ['storage_daily', 'storage_corrections'];

/** Files that stay, although no load has them any more. */
function listSetAside(
  lake: Lake,
  { tables, facts, load }: Manifest,
  hasStates: boolean,
  hasDays: boolean,
): Manifest['set_aside'] {
  const names = [...(hasStates ? OF_STATES : []), ...(hasStates || hasDays ? OF_DAYS : [])];
  const files = tables.filter(({ table }) => names.includes(table)).flatMap(listFiles);
  if (files.length === 0) return [];
  return [{ timeline: facts.timeline, load, set_aside_at: nowText(lake), files }];
}

function describeReload(
  account: string,
  { kind }: ChosenKind,
  base: Manifest,
  setAside: Manifest['set_aside'],
): Finding[] {
  const reloaded: Finding[] =
    kind === 'reload'
      ? [{ kind: 'reloaded', message: `account ${account} was loaded completely again` }]
      : [];
  const set = setAside.map(({ files, load }): Finding => ({
    kind: 'history_set_aside',
    message: `account ${account}: ${files.length} files of load ${load} with rows that only the target had stay, set aside in manifest/account=${account}/`,
  }));
  return base.facts.timeline === null ? [] : [...reloaded, ...set];
}
