/** Loads one target: every account of the published file, one after the other. Runs in a process of its own. */
import { emptyReport, isLoadDone, RUNS } from '../../lib/load-report.ts';
import { CopyError, LostLeaseError, NotFetchedError, StaleSourceError } from './load-errors.ts';
import { addResult, isDone } from './load-results.ts';
import { listSourceAccounts, openSource, type Source } from './source.ts';
import { reportRefusal, type Finding, type Loaded, type Refusal, type Target } from './target.ts';
import { createTarget, type OpenTarget } from './target-kinds.ts';
import type { LoadRequest, LoadResult } from './target-request.ts';
import { isUnreachable } from './unreachable.ts';

/**
 * Loads the target from the published file, and from a newer one that replaces it in between. A load that fails does not stop
 * the others, unless the target cannot be reached. Throws WarehouseError if there is no published file.
 */
export async function loadTarget(request: LoadRequest): Promise<LoadResult[]> {
  const results = new Map<string, LoadResult>();
  for (;;) {
    const source = openSource(request.file);
    const rebuild = request.rebuild.filter((account) => !isDone(results.get(account)));
    let target: OpenTarget | null = null;
    try {
      target = await createTarget(request.target, source, request.holder);
      await loadFile(target, source, { ...request, rebuild }, results);
      return [...results.values()];
    } catch (error) {
      if (!(error instanceof StaleSourceError)) throw error;
    } finally {
      await target?.close();
      source.close();
    }
  }
}

/** Throws StaleSourceError if a newer file replaced this one before the end. */
async function loadFile(
  target: Target,
  source: Source,
  request: LoadRequest,
  results: Map<string, LoadResult>,
): Promise<void> {
  const accounts = listSourceAccounts(source);
  for (const account of accounts) {
    const { result, isClaimed } = await loadOne(target, source, account, request);
    if (result) addResult(results, result);
    if (result?.outcome !== 'failed' || !isUnreachable(result.code, isClaimed)) continue;
    for (const other of accounts.slice(accounts.indexOf(account) + 1))
      addResult(results, { ...result, account: other });
    return;
  }
  for (const account of request.rebuild.filter((name) => !accounts.includes(name)))
    addResult(results, await rebuildMissing(target, source, account, request));
  const isOurs = [...results.values()].some(isLoadDone);
  if (isOurs) addResult(results, await loadRuns(target, source, accounts, request));
}

/** Loads what belongs to no account; compared where any account is. */
function loadRuns(
  target: Target,
  source: Source,
  accounts: readonly string[],
  request: LoadRequest,
): Promise<LoadResult> {
  return report(RUNS, target, source, request, async (result) => {
    const { kind, rows } = await target.loadWarehouse(false);
    Object.assign(result, { rows, outcome: kind === 'nothing' ? 'unchanged' : 'loaded' });
    if (request.verify.length > 0) {
      const reload = () => target.loadWarehouse(true);
      const toFailure = (error: unknown) => describeError(error, RUNS, target, request);
      await verifyOrTell('the tables of runs', () => target.verifyWarehouse(), reload, result, toFailure);
    }
    result.findings = [
      ...result.findings,
      ...(await target.listFindings([...accounts, ...request.accounts])),
    ];
  });
}

/**
 * An account that is not in the published file. One of the config is claimed, so that it may be fetched; another one goes: a
 * person said so.
 */
function rebuildMissing(
  target: Target,
  source: Source,
  account: string,
  request: LoadRequest,
): Promise<LoadResult> {
  return report(account, target, source, request, async (result) => {
    if (request.accounts.includes(account)) {
      const claim = await target.claim(account, true);
      if (claim.result === 'claimed') throw new NotFetchedError(account);
      Object.assign(result, describeClaim(claim, request));
      return;
    }
    const removed = await target.remove(account);
    if (removed === null) {
      const error = `account ${account} is neither in this warehouse, nor was it loaded by it`;
      Object.assign(result, { error, hint: 'vodhouse status shows the accounts of each target' });
    } else Object.assign(result, { outcome: 'deleted', rows: removed.rows, findings: removed.findings });
  });
}

/** `result` is null for an account that is no longer in the config, and that another worker has taken over. */
async function loadOne(
  target: Target,
  source: Source,
  account: string,
  request: LoadRequest,
): Promise<{ result: LoadResult | null; isClaimed: boolean }> {
  const isRebuild = request.rebuild.includes(account);
  const isLeft = !isRebuild && !request.accounts.includes(account);
  let isClaimed = false;
  let isElsewhere = false;
  const result = await report(account, target, source, request, async (draft) => {
    const claim = await (isLeft ? target.claimLeft(account) : target.claim(account, isRebuild));
    if (claim?.result !== 'claimed') {
      isElsewhere = isLeft;
      if (claim) Object.assign(draft, describeClaim(claim, request));
      return;
    }
    isClaimed = true;
    const { kind, rows, findings } = await target.load(account, claim.epoch, isRebuild);
    Object.assign(draft, { rows, findings, outcome: kind === 'nothing' ? 'unchanged' : 'loaded' });
    if (!request.verify.includes(account) && !isRebuild) return;
    const reload = () => target.load(account, claim.epoch, false);
    const toFailure = (error: unknown) => describeError(error, account, target, request);
    await verifyOrTell(`account ${account}`, () => target.verify(account), reload, draft, toFailure);
  });
  isElsewhere ||= isLeft && (result.outcome === 'held' || result.outcome === 'refused');
  return { result: isElsewhere ? null : result, isClaimed };
}

/** What could not be compared is loaded all the same. */
async function verifyOrTell(
  what: string,
  compare: () => Promise<string[] | null>,
  reload: () => Promise<Loaded>,
  result: LoadResult,
  toFailure: (error: unknown) => Partial<LoadResult>,
): Promise<void> {
  try {
    await verify(what, compare, reload, result);
  } catch (error) {
    result.verified = null;
    if (error instanceof StaleSourceError) return; // the newer file is loaded next
    const { error: message, hint = null, code = null, retry = null } = toFailure(error);
    Object.assign(result, { error: `not compared: ${message}`, hint, code, retry });
  }
}

/** Compares both sides; where they differ, loads everything again, and compares once more. */
async function verify(
  what: string,
  compare: () => Promise<string[] | null>,
  reload: () => Promise<Loaded>,
  result: LoadResult,
): Promise<void> {
  const found = await compare();
  result.verified = found === null ? null : found.length === 0;
  if (found === null || found.length === 0) return;
  const { rows, findings } = await reload();
  const left = await compare();
  result.rows += rows;
  result.outcome = 'loaded';
  result.verified = left === null ? null : left.length === 0;
  const wasDifferent: Finding = {
    kind: 'reloaded',
    message: `${what} differed, and ${what.startsWith('account') ? 'was' : 'were'} loaded completely again: ${found.join('; ')}`,
  };
  const differs = (left ?? []).map((difference): Finding => {
    return {
      kind: 'differs',
      message: `${what} ${what.startsWith('account') ? 'differs' : 'differ'} after a complete load: ${difference}`,
    };
  });
  const others = findings.filter(({ kind }) => kind !== 'reloaded');
  const kinds = others.map(({ kind }) => kind);
  const before = result.findings.filter(({ kind }) => !kinds.includes(kind) && kind !== 'reloaded');
  result.findings = [...before, ...others, wasDifferent, ...differs];
}

/** Runs the steps of a load; what they throw becomes the outcome. */
async function report(
  account: string,
  target: Target,
  source: Source,
  request: LoadRequest,
  steps: (result: LoadResult) => Promise<void>,
): Promise<LoadResult> {
  const startedAt = performance.now();
  const result: LoadResult = { ...emptyReport(account, 'failed'), retry: null };
  try {
    await steps(result);
    if (result.outcome === 'loaded' || result.outcome === 'unchanged') result.changeSeq = source.changeSeq;
  } catch (error) {
    if (error instanceof StaleSourceError) throw error;
    Object.assign(result, describeError(error, account, target, request));
  }
  return { ...result, durationMs: Math.round(performance.now() - startedAt) };
}

function describeClaim(claim: Refusal, request: LoadRequest): Partial<LoadResult> {
  const report = reportRefusal(claim);
  if (claim.result === 'held') return { ...report, retry: 'backoff' };
  return { ...report, hint: rebuildHint(request, claim.account), retry: 'hourly' };
}

const rebuildHint = ({ target }: LoadRequest, account: string) =>
  `if this warehouse is the right one: vodhouse publish --target ${target.name} --rebuild ${account}`;

function describeError(
  error: unknown,
  account: string,
  target: Target,
  request: LoadRequest,
): Partial<LoadResult> {
  if (error instanceof CopyError)
    return { outcome: 'refused', error: error.message, hint: rebuildHint(request, account), retry: 'hourly' };
  if (error instanceof NotFetchedError) {
    const hint = 'vodhouse sync fetches it; the load after it replaces the rows';
    return { outcome: 'held', error: error.message, hint, retry: 'backoff' };
  }
  if (error instanceof LostLeaseError) return { outcome: 'held', error: error.message, retry: 'backoff' };
  const { message, hint, code, retry } = target.describe(error);
  return { outcome: 'failed', error: message, hint, code, retry: retry === 'hourly' ? 'hourly' : 'backoff' };
}
