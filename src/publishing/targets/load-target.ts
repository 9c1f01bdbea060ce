/** Loads one target: every account of the published file, one after the other. Runs in a process of its own. */
import { emptyReport, RUNS, type LoadReport } from '../../lib/load-report.ts';
import { withinTime } from '../../lib/within-time.ts';
import { openTarget } from './open-target.ts';
import { compareOwner, OwnedError, type AccountState, type Force } from './ownership.ts';
import { openSource, type Source } from './source.ts';
import type { Loaded, LoadRequest, Target } from './target.ts';

/** After so many failures in a row, the target is down: the other accounts are not tried. */
const FAILURES = 3;

/** One report for each account, and one for the tables that belong to none. Throws WarehouseError if there is no published file. */
export async function loadTarget(request: LoadRequest): Promise<LoadReport[]> {
  const source = openSource(request.file);
  const target = await openTarget(request.target, source, request.worker);
  try {
    return await loadAll(target, source, request);
  } finally {
    await target.close();
    source.close();
  }
}

async function loadAll(target: Target, source: Source, request: LoadRequest): Promise<LoadReport[]> {
  const names = request.force ? [request.force.account] : listAccounts(source, request);
  const reports: LoadReport[] = [];
  let known = new Map<string, AccountState>();
  const reading = await report(RUNS, target, request, async () => {
    known = await target.readAccounts();
    return NOTHING;
  });
  if (reading.outcome === 'failed')
    return names.length > 0 ? names.map((account) => ({ ...reading, account })) : [reading];
  for (const account of names) {
    const last = reports.slice(-FAILURES);
    const isDown = last.length === FAILURES && last.every(({ outcome }) => outcome === 'failed');
    if (isDown) reports.push({ ...(last[0] ?? reading), account });
    else if (!isElsewhere(account, known, source, request))
      reports.push(await loadOne(target, source, account, request));
  }
  if (reports.length > 0 && reports.every(({ outcome }) => outcome === 'failed')) return reports;
  for (const account of listGone(known, request, source))
    reports.push(await report(account, target, request, () => target.remove(account), 'removed'));
  reports.push(await report(RUNS, target, request, () => target.loadShared()));
  return reports;
}

const NOTHING: Loaded = { kind: 'nothing', rows: 0 };

/** Those of the config that have rows first. */
const listAccounts = ({ accounts }: Source, request: LoadRequest): string[] => {
  const configured = request.accounts.map(({ name }) => name);
  return [
    ...configured.filter((name) => accounts.includes(name)),
    ...accounts.filter((name) => !configured.includes(name)),
  ];
};

/** An account that left the config, and that another warehouse has taken over since. */
function isElsewhere(
  account: string,
  known: ReadonlyMap<string, AccountState>,
  source: Source,
  { accounts, force }: LoadRequest,
): boolean {
  if (force !== null || accounts.some(({ name }) => name === account)) return false;
  return compareOwner(known.get(account) ?? null, source) === 'elsewhere';
}

/** Accounts of this warehouse that were forgotten. One that has another name now went with the load of that. */
const listGone = (
  known: ReadonlyMap<string, AccountState>,
  { accounts }: LoadRequest,
  source: Source,
): string[] =>
  [...known].flatMap(([account, state]) => {
    const isThere = source.accounts.includes(account) || accounts.some(({ was }) => was === account);
    return !isThere && compareOwner(state, source) === 'ours' ? [account] : [];
  });

async function loadOne(
  target: Target,
  source: Source,
  account: string,
  request: LoadRequest,
): Promise<LoadReport> {
  const force: Force | null = request.force?.kind ?? null;
  const formerName = request.accounts.find(({ name }) => name === account)?.was ?? null;
  const loaded = await report(account, target, request, () => target.load(account, { force, formerName }));
  if (loaded.outcome === 'failed' || loaded.outcome === 'refused') return loaded;
  const result = { ...loaded, changeSeq: source.changeSeqOf(account) };
  if (!request.isVerified) return result;
  const compared: string[] = [];
  const check = await report(account, target, request, async () => {
    compared.push(...(await target.verify(account)));
    return NOTHING;
  });
  if (check.error !== null) return { ...result, ...check, outcome: 'failed' };
  return { ...result, durationMs: result.durationMs + check.durationMs, differences: compared };
}

/** Runs one step; what it throws becomes the outcome. */
async function report(
  account: string,
  target: Target,
  request: LoadRequest,
  step: () => Promise<Loaded>,
  done: 'loaded' | 'removed' = 'loaded',
): Promise<LoadReport> {
  const startedAt = performance.now();
  const end = (result: Partial<LoadReport>): LoadReport => ({
    ...emptyReport(account, 'failed'),
    ...result,
    durationMs: Math.round(performance.now() - startedAt),
  });
  try {
    const { loadTimeoutMs: ms } = request.target;
    const loaded = await withinTime(step(), ms); // a step without an answer ends with this process
    if (loaded === null)
      throw Object.assign(new Error(`it took longer than load_timeout (${ms / 1000} s)`), {
        code: 'ETIMEDOUT',
      });
    const { kind, rows } = loaded;
    return end({ outcome: kind === 'nothing' ? 'unchanged' : done, rows });
  } catch (error) {
    const { message, hint, code } = target.describe(error);
    return end({ outcome: error instanceof OwnedError ? 'refused' : 'failed', error: message, hint, code });
  }
}
