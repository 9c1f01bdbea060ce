/** Loads a target, one account of the published file after the other. Runs in a process of its own. */
import { lockOrThrow, openWhenFree } from '../database/lock.ts';
import { systemClock } from '../lib/clock.ts';
import { errorCode, errorLine, hintLine } from '../lib/errors.ts';
import { emptyReport, RUNS, type LoadReport } from './targets/load-report.ts';
import { withinTime } from '../lib/within-time.ts';
import { openTarget } from './loader.ts';
import { compareOwner, OwnedError, type AccountState } from './targets/ownership.ts';
import { openSource, type Source } from './targets/source.ts';
import { TargetError, type LoadRequest, type Target } from './targets/target.ts';

/**
 * One report for each account, and one for the tables that belong to none. Waits for other loads of the
 * warehouse. Throws WarehouseError if there is no published file.
 */
export async function loadTarget(request: LoadRequest): Promise<LoadReport[]> {
  const takeLock = () => lockOrThrow(request.live, 'load', 'publish', systemClock.now());
  const lock = await openWhenFree(takeLock, systemClock);
  let source: Source | null = null;
  try {
    // opened under the lock: a load that waited must not bring an older file than the one before it
    source = openSource(request.file, request.live);
    return await loadAll(await openSteps(request), source, request);
  } finally {
    source?.close();
    lock.release();
  }
}

/** Runs one step with the target. What it throws becomes the outcome. */
type RunStep = (account: string, step: (target: Target) => Promise<number>) => Promise<LoadReport>;

/**
 * Opens the target, and returns the function that runs steps with it. A step that exceeds its time limit
 * cannot be stopped at once, so its target is given up, and the next step gets a new one.
 */
async function openSteps({ target: config, worker }: LoadRequest): Promise<RunStep> {
  let controller = new AbortController();
  let target = await openTarget(config, worker, controller.signal);
  return async (account, step) => {
    const done = await report(account, config.loadTimeoutMs, () => step(target));
    if (done.code === TIMED_OUT) {
      controller.abort(new TargetError('it took too long, and was stopped', { code: TIMED_OUT }));
      controller = new AbortController();
      target = await openTarget(config, worker, controller.signal);
    }
    return done;
  };
}

async function loadAll(run: RunStep, source: Source, request: LoadRequest): Promise<LoadReport[]> {
  const { force, accounts, isVerified } = request;
  const names = force ? [force.account] : source.accounts;
  let known = new Map<string, AccountState>();
  const reading = await run(RUNS, async (target) => {
    known = await target.readAccounts();
    return 0;
  });
  if (reading.error !== null)
    return (names.length > 0 ? names : [RUNS]).map((account) => ({ ...reading, account }));
  const reports: LoadReport[] = [];
  for (const account of names) {
    const configured = accounts.find(({ name }) => name === account);
    const options = { force: force?.kind ?? null, formerName: configured?.was ?? null };
    const loaded = await run(account, (target) => target.load(source, account, options));
    if (loaded.outcome === 'refused' && !configured) continue; // it went to another machine
    const isDone = loaded.error === null;
    reports.push(isDone && isVerified ? await verify(run, source, loaded) : loaded);
  }
  for (const account of listGone(known, request, source)) {
    const removed = await run(account, (target) => target.remove(source, account));
    reports.push(removed.outcome === 'loaded' ? { ...removed, outcome: 'removed' } : removed);
  }
  reports.push(await run(RUNS, (target) => target.loadShared(source, force !== null)));
  return reports.map((each) => {
    const isThere = each.error === null && source.accounts.includes(each.account);
    return isThere ? { ...each, changeSeq: source.changeSeqOf(each.account) } : each;
  });
}

/**
 * Accounts that this warehouse loaded and that the published file no longer has. An account that was renamed
 * is not among them, because the load under its new name takes its rows over.
 */
const listGone = (
  known: ReadonlyMap<string, AccountState>,
  { accounts }: LoadRequest,
  source: Source,
): string[] =>
  [...known].flatMap(([account, state]) => {
    const isThere = source.accounts.includes(account) || accounts.some(({ was }) => was === account);
    return !isThere && compareOwner(state, source) === 'ours' ? [account] : [];
  });

async function verify(run: RunStep, source: Source, loaded: LoadReport): Promise<LoadReport> {
  let differences: string[] | null = null;
  const check = await run(loaded.account, async (target) => {
    differences = await target.verify(source, loaded.account);
    return 0;
  });
  if (check.error !== null) return check;
  return { ...loaded, durationMs: loaded.durationMs + check.durationMs, differences };
}

const TIMED_OUT = 'ETIMEDOUT';

async function report(account: string, timeoutMs: number, step: () => Promise<number>): Promise<LoadReport> {
  const startedAt = performance.now();
  const end = (result: Partial<LoadReport>): LoadReport => ({
    ...emptyReport(account, 'failed'),
    ...result,
    durationMs: Math.round(performance.now() - startedAt),
  });
  try {
    const rows = await withinTime(step(), timeoutMs);
    if (rows === null)
      throw new TargetError(`it took longer than load_timeout (${timeoutMs / 1000} s)`, {
        code: TIMED_OUT,
      });
    return end({ outcome: rows === 0 ? 'unchanged' : 'loaded', rows });
  } catch (error) {
    const outcome = error instanceof OwnedError ? 'refused' : 'failed';
    return end({ outcome, error: errorLine(error), hint: hintLine(error), code: errorCode(error) || null });
  }
}
