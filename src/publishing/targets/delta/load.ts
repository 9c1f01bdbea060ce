/** Loads one account into a lake: its claim, then each table, then its row of `loads`. */
import { toTimestamp } from '../../../lib/clock.ts';
import { compareOwner, findRefusal } from '../ownership.ts';
import type { LoadOptions } from '../target.ts';
import { LOADS, readClaims, writeClaim, type Claim } from './loads.ts';
import { carryOut, planLarge, planSmall, removeFiles, type LoadContext, type Plan } from './plan.ts';
import { listCommon, listLarge, listSmall } from './tables.ts';

/** The claim of an account without news is renewed before the list of publications forgets it. */
const RECENT_PUBLICATIONS = 500;

/** Also a table that the published file does not have, because `publish.exclude` leaves it out. */
const ACCOUNT_TABLES = [
  ...['videos', 'video_history', 'video_tags', 'packages', 'storage_daily', 'package_daily'],
];

/** Throws OwnedError, TargetError, and ConflictError: then it is to begin again. */
export async function loadAccount(
  context: LoadContext,
  account: string,
  { force, formerName: name }: LoadOptions,
): Promise<number> {
  const { lake, source } = context;
  const { snapshot } = await lake.getLog(LOADS);
  const claims = readClaims(snapshot);
  const claim = claims.get(account) ?? null;
  const refusal = findRefusal(account, claim?.state ?? null, source, force, context.target);
  if (refusal) throw refusal;
  const isFormer = name !== null && !source.accounts.includes(name);
  const former = isFormer && compareOwner(claims.get(name)?.state ?? null, source) === 'ours' ? [name] : [];
  const isWhole = claim === null || claim.pending === 'all' || claim.state.shape !== source.shapeOf(account);
  const kind = isWhole || force !== null ? 'all' : 'changes';
  const isEnded = kind === 'changes' && claim?.pending === null;
  const age = source.publications.indexOf(claim?.state.publicationId ?? '');
  if (isEnded && age === 0) return 0;
  const plans = await planTables(context, account, kind);
  if (isEnded && plans.length === 0 && former.length === 0 && age < RECENT_PUBLICATIONS) return 0;
  await writeClaim(context, account, { pending: kind, row: claim?.row ?? null });
  let rows = 1; // that of `loads`
  for (const plan of plans) rows += await carryOut(context, plan, account, former);
  for (const gone of former) for (const table of ACCOUNT_TABLES) await removeFiles(context, table, gone);
  await writeClaim(context, account, { pending: null, row: await createRow(context, account) }, former);
  return rows;
}

async function planTables(context: LoadContext, account: string, kind: 'all' | 'changes'): Promise<Plan[]> {
  const { marts } = context.source;
  const plans: (Plan | null)[] = [];
  for (const table of listLarge(marts)) plans.push(await planLarge(context, table, account, kind));
  for (const table of listSmall(marts)) plans.push(await planSmall(context, table, account));
  return plans.filter((plan) => plan !== null);
}

/** What readers see of a load that ends, with the versions that the tables have now. */
async function createRow({ lake, source, worker }: LoadContext, account: string): Promise<Claim['row']> {
  return {
    ...{ warehouse_id: source.warehouseId, worker, version: source.version },
    ...{ publication_id: source.publicationId, change_seq: source.changeSeqOf(account) },
    ...{ published_at: source.publishedAt, loaded_at: toTimestamp(Date.now()) },
    table_versions: JSON.stringify(await lake.getVersions()),
  };
}

/** Removes an account of ours that the published file no longer has. */
export async function removeAccount(context: LoadContext, account: string): Promise<number> {
  const { lake, source } = context;
  const { snapshot } = await lake.getLog(LOADS);
  if (compareOwner(readClaims(snapshot).get(account)?.state ?? null, source) !== 'ours') return 0;
  let rows = 1; // that of `loads`
  for (const table of ACCOUNT_TABLES) rows += await removeFiles(context, table, account);
  await writeClaim(context, account, null);
  return rows;
}

/** Brings up the tables that belong to no account. A day that another warehouse has brought stays. */
export async function loadShared(context: LoadContext): Promise<number> {
  const { marts, warehouseId } = context.source;
  let rows = 0;
  for (const table of listCommon(marts)) {
    const owner = table.partition === null ? null : warehouseId;
    const plan = await planSmall(context, table, owner);
    if (!plan) continue;
    const years = plan.slices.map(({ tags }) => tags['slice']);
    const isCalendar = table.table.name === marts.dates.name;
    if (isCalendar) plan.removed = plan.removed.filter(({ tags }) => years.includes(tags['slice']));
    if (!isCalendar || years.length > 0) rows += await carryOut(context, plan, owner);
  }
  return rows;
}
