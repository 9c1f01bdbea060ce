/** Loads what changed in an account since the last load of it. */
import type { Table } from '../../mart.ts';
import { findFirstDay, ofAccount, storeChanges } from '../changes.ts';
import { hasRows } from '../copy-lines.ts';
import type { Source } from '../source.ts';
import type { LoadedState } from './load.ts';
import { copyInto, haveSame, replace, stage, upsert, type LoadContext } from './rows.ts';
import { quoteNames } from './session.ts';

/** Returns the number of rows written and deleted. */
export async function loadChanges(
  context: LoadContext,
  account: string,
  since: LoadedState,
): Promise<number> {
  const { session, source } = context;
  const { packages, storageCorrections, storageDaily, catalogDaily } = source.marts;
  // a few rows of large tables: where rows are cheap to find, the planner still prefers to read everything
  await session.execute('SET LOCAL enable_seqscan = off');
  let rows = 0;
  if (storeChanges(source, account, since.changeSeq) > 0) rows += await loadVideos(context, since.changeSeq);
  rows += await loadCatalog(context, catalogDaily, account, since);
  for (const table of [packages, storageCorrections, storageDaily])
    rows += await replace(context, { table, owner: { account }, rows: ofAccount(table, account) });
  return rows + (await loadReadings(context, account));
}

/** After `storeChanges`. */
async function loadVideos(context: LoadContext, changeSeq: number): Promise<number> {
  const { videos, videoHistory, videoTags } = context.source.marts;
  await stage(context, videos, { rowids: 'changed_videos' });
  let rows = await upsert(context, videos, 't.change_seq < excluded.change_seq');
  if (hasRows(context.source.db, videoHistory.name, { rowids: 'changed_history' })) {
    await stage(context, videoHistory, { rowids: 'changed_history' });
    rows += await upsert(context, videoHistory);
  }
  return rows + (videoTags === null ? 0 : await loadTags(context, videoTags, changeSeq));
}

const VIDEO_KEY = ['account', 'package_id', 'video_id'];

/** Replaces the tags of videos that have others than in the state that the target has: most changes leave them. */
async function loadTags(context: LoadContext, tags: Table, changeSeq: number): Promise<number> {
  const { session, source } = context;
  for (const [name, select] of [
    ['retagged_videos', RETAGGED_VIDEOS],
    ['changed_tags', CHANGED_TAGS],
  ] as const) {
    source.db.exec(`drop table if exists temp.${name}; create temp table ${name} (row integer primary key)`);
    source.db
      .prepare(`insert into temp.${name} ${select}`)
      .run(select === RETAGGED_VIDEOS ? { changeSeq } : {});
  }
  const { videos } = source.marts;
  if (!hasRows(source.db, videos.name, { rowids: 'retagged_videos' })) return 0;
  const keys = 'pg_temp.retagged_videos';
  await session.execute(
    `CREATE TEMPORARY TABLE ${keys} ON COMMIT DROP AS SELECT ${quoteNames(VIDEO_KEY)} FROM ${session.name(videos.name)} WITH NO DATA`,
  );
  const columns = videos.columns.filter(({ name }) => VIDEO_KEY.includes(name));
  await copyInto(context, { ...videos, columns }, { rowids: 'retagged_videos' }, keys);
  const deleted = await session.execute(
    `DELETE FROM ${session.name(tags.name)} t USING ${keys} k WHERE ${haveSame('t', 'k', VIDEO_KEY)}`,
  );
  return deleted + (await copyInto(context, tags, { rowids: 'changed_tags' }));
}

const RETAGGED_VIDEOS = `select c.row from temp.changed_videos c
cross join videos v on v.rowid = c.row
left join video_history h on h.package_key = v.package_key and h.video_id = v.video_id and h.change_seq = (
  select max(b.change_seq) from video_history b
  where b.package_key = v.package_key and b.video_id = v.video_id and b.change_seq <= :changeSeq
)
where h.change_seq is null or h.tags is not v.tags or h.is_removed is not v.is_removed
order by c.row`;

const CHANGED_TAGS = `select t.rowid from temp.retagged_videos c
cross join videos v on v.rowid = c.row
cross join video_tags t on t.package_key = v.package_key and t.video_id = v.video_id
order by t.rowid`;

/** Days before the last publication are final, unless the life of a package has other ends. Before `packages` is loaded. */
async function loadCatalog(
  context: LoadContext,
  table: Table,
  account: string,
  since: LoadedState,
): Promise<number> {
  const { source } = context;
  const { where, parameters } = ofAccount(table, account);
  if (await hasOtherSpans(context, account))
    return replace(context, { table, owner: { account }, rows: { where, parameters } });
  const firstDay = findFirstDay(source, since.changeSeq, since.publishedAt);
  const rows = { where: `${where} and t.day >= :firstDay`, parameters: { ...parameters, firstDay } };
  const packages = source.db
    .prepare('select package_id from packages where account = ?')
    .pluck()
    .all(account);
  // the key is (account, package_id, day): with the packages, only these days are read
  const within = `t.package_id = ANY ('{${packages.join()}}') AND t.day >= '${firstDay}'`;
  return replace(context, { table, owner: { account }, rows, within });
}

interface Span {
  package_id: number;
  first_walked_at: string | null;
  retired_at: string | null;
}

/** Does a package have another first walk or another end than in the target, or does only the target have it? */
async function hasOtherSpans({ session, source }: LoadContext, account: string): Promise<boolean> {
  const time = (name: string) => `to_char(${name}, 'YYYY-MM-DD HH24:MI:SS') AS ${name}`; // the session has UTC
  const theirs = await session.query<Span & Record<string, unknown>>(
    `SELECT package_id::float8, ${time('first_walked_at')}, ${time('retired_at')} FROM ${session.name('packages')} WHERE account = $1`,
    [account],
  );
  const ours = new Map(listSpans(source, account).map((span) => [span.package_id, span]));
  return theirs.some(({ package_id: id, ...span }) => {
    const own = ours.get(id);
    return own?.first_walked_at !== span.first_walked_at || own.retired_at !== span.retired_at;
  });
}

const listSpans = ({ db }: Source, account: string): Span[] =>
  db
    .prepare('select package_id, first_walked_at, retired_at from packages where account = ?')
    .all(account) as Span[];

/** Readings never change: those after the last one are added, and all are replaced where their number differs then. */
async function loadReadings(context: LoadContext, account: string): Promise<number> {
  const { session, source } = context;
  const table = source.marts.storageReadings;
  const { where, parameters } = ofAccount(table, account);
  const name = session.name(table.name);
  const find = async (figure: string) =>
    (
      await session.queryOne<{ figure: number | null }>(
        `SELECT ${figure}::float8 AS figure FROM ${name} WHERE account = $1`,
        [account],
      )
    )?.figure ?? 0;
  const last = await find('max(reading_id)');
  const later = { where: `${where} and t.reading_id > :last`, parameters: { ...parameters, last } };
  const added = hasRows(source.db, table.name, later) ? await copyInto(context, table, later) : 0;
  const count = source.db
    .prepare(`select count(*) from ${table.name} t where ${where}`)
    .pluck()
    .get(parameters);
  if (count === (await find('count(*)'))) return added;
  const deleted = await session.execute(`DELETE FROM ${name} WHERE account = $1`, [account]);
  return deleted + (await copyInto(context, table, { where, parameters }));
}
