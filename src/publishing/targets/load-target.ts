/** Loads one target: every account of the published file, one after the other. Runs in a process of its own. */
import { RUNS } from '../../lib/load-report.ts';
import { CopyError, LostLeaseError, StaleSourceError } from './load-errors.ts';
import { createPostgresTarget } from './postgres/postgres-target.ts';
import { listSourceAccounts, openSource, type Source } from './source.ts';
import type { Claim, Finding, Target } from './target.ts';
import type { LoadRequest, LoadResult } from './target-request.ts';

/**
 * Loads the target from the published file, and from a newer one that replaces it in between. A load that fails does not stop
 * the others, unless the target cannot be reached. Throws WarehouseError if there is no published file.
 */
export async function loadTarget(request: LoadRequest): Promise<LoadResult[]> {
  const results = new Map<string, LoadResult>();
  for (;;) {
    const source = openSource(request.file);
    try {
      await loadFile(createPostgresTarget(request.target, source, request.holder), source, request, results);
      return [...results.values()];
    } catch (error) {
      if (!(error instanceof StaleSourceError)) throw error;
    } finally {
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
    const result = await loadOne(target, source, account, request);
    if (result) results.set(account, result);
    if (!result || !isUnreachable(result)) continue;
    for (const other of accounts.slice(accounts.indexOf(account) + 1))
      results.set(other, { ...result, account: other });
    return;
  }
  const isOurs = [...results.values()].some(({ outcome }) => outcome === 'loaded' || outcome === 'unchanged');
  if (!isOurs) return;
  const steps = async (result: LoadResult) => {
    const { kind, rows } = await target.loadWarehouse();
    Object.assign(result, { rows, outcome: kind === 'nothing' ? 'unchanged' : 'loaded' });
    result.findings = await target.listFindings(accounts);
  };
  results.set(RUNS, await report(RUNS, target, source, request, steps));
}

/** Does every other account meet the same error? The server refuses connections, the login, or has no room. */
function isUnreachable({ outcome, code }: LoadResult): boolean {
  if (outcome !== 'failed') return false;
  return code === null ? false : !/^[\dA-Z]{5}$/.test(code) || /^(?:08|28|3D|53|57P)/.test(code);
}

/** Null for an account that is no longer in the config, and that another worker has taken over. */
async function loadOne(
  target: Target,
  source: Source,
  account: string,
  request: LoadRequest,
): Promise<LoadResult | null> {
  const isRebuild = request.rebuild.includes(account);
  const result = await report(account, target, source, request, async (draft) => {
    const claim = await target.claim(account, isRebuild);
    if (claim.result !== 'claimed') {
      Object.assign(draft, describeClaim(claim, request));
      return;
    }
    const { kind, rows, findings } = await target.load(account, claim.epoch, isRebuild);
    Object.assign(draft, { rows, findings, outcome: kind === 'nothing' ? 'unchanged' : 'loaded' });
    if (request.verify.includes(account) || isRebuild) await verify(target, account, claim.epoch, draft);
  });
  const isElsewhere = result.outcome === 'held' || result.outcome === 'refused';
  return isElsewhere && !request.accounts.includes(account) ? null : result;
}

/** Compares both sides; where they differ, loads everything again, and compares once more. */
async function verify(target: Target, account: string, epoch: number, result: LoadResult): Promise<void> {
  const found = await target.verify(account);
  result.verified = found === null ? null : found.length === 0;
  if (found === null || found.length === 0) return;
  const { rows } = await target.load(account, epoch, false);
  const left = await target.verify(account);
  result.rows += rows;
  result.outcome = 'loaded';
  result.verified = left === null ? null : left.length === 0;
  const wasDifferent: Finding = {
    kind: 'reloaded',
    message: `account ${account} differed, and was loaded completely again: ${found.join('; ')}`,
  };
  const differs = (left ?? []).map((difference): Finding => {
    return { kind: 'differs', message: `account ${account} differs after a complete load: ${difference}` };
  });
  result.findings = [...result.findings, wasDifferent, ...differs];
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
  const result: LoadResult = {
    ...{ account, outcome: 'failed', changeSeq: null, rows: 0, durationMs: 0, findings: [], verified: null },
    ...{ error: null, hint: null, code: null, heldBy: null, heldUntil: null, retry: null },
  };
  try {
    await steps(result);
    if (result.outcome === 'loaded' || result.outcome === 'unchanged') result.changeSeq = source.changeSeq;
  } catch (error) {
    if (error instanceof StaleSourceError) throw error;
    Object.assign(result, describeError(error, account, target, request));
  }
  return { ...result, durationMs: Math.round(performance.now() - startedAt) };
}

function describeClaim(
  claim: Exclude<Claim, { result: 'claimed' }>,
  request: LoadRequest,
): Partial<LoadResult> {
  if (claim.result === 'refused')
    return {
      outcome: 'refused',
      error: claim.reason,
      hint: rebuildHint(request, claim.account),
      retry: 'hourly',
    };
  const error = `account ${claim.account} is held by ${claim.worker} until ${claim.until.slice(11, 16)} UTC`;
  return { outcome: 'held', error, heldBy: claim.worker, heldUntil: claim.until, retry: 'backoff' };
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
  if (error instanceof LostLeaseError) return { outcome: 'held', error: error.message, retry: 'backoff' };
  const { message, hint, code, retry } = target.describe(error);
  return { outcome: 'failed', error: message, hint, code, retry: retry === 'hourly' ? 'hourly' : 'backoff' };
}
