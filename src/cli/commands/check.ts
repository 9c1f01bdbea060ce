import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sendTestMessage, type TestResult } from '../../alerts/delivery.ts';
import type { AccountConfig, Config, TargetConfig } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { reportLeaving, type LeavingReport } from '../../app/leaving.ts';
import type { Pipeline } from '../../app/pipeline.ts';
import { warnIfPlanDoesNotFit } from '../../capacity/plan-report.ts';
import { groupBy, listFirst, withoutSubject } from '../../health/text.ts';
import { shellQuote, type FormatCommand } from '../../lib/shell-command.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { addDays } from '../../lib/days.ts';
import {
  ConfigError,
  errorLine,
  errorMessage,
  hintLine,
  ParkedError,
  RefusedError,
  TransientError,
} from '../../lib/errors.ts';
import { pluralize } from '../../lib/format.ts';
import { READERS } from '../../sync/sync-account.ts';
import { isAccountStream, listStreamsOf, STREAM_KINDS } from '../../sync/streams.ts';
import type { StreamName, StreamRow } from '../../sync/streams.ts';
import { openTarget } from '../../publishing/loader.ts';
import { findRefusal, formatLoaded, readIdentity } from '../../publishing/targets/ownership.ts';
import type { ServiceClient } from '../../service/client/client.ts';
import { getWarehouseId } from '../../warehouse/statements/warehouse-state.ts';
import type { Warehouse } from '../../warehouse/warehouse.ts';
import type { JsonOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { formatJson } from '../output/output.ts';
import { formatFirst, MOST_ROWS, worstFirst } from '../output/table.ts';
import { checkFiles } from './check-files.ts';
import { withPipeline } from '../with-pipeline.ts';

/** One request to the service and its result. */
interface CheckResult {
  account: string;
  /** Null for a stream that the account has once, such as its storage. */
  packageId: number | null;
  /** What was requested, such as `package 101`. */
  asked: string;
  ok: boolean;
  result: string;
  hint: string | null;
}

export type CheckOptions = JsonOptions & { all?: true; notify?: true };

/** Without `--all`, this number of packages of an account is requested at most, and none after a failure. */
const MOST_PACKAGES = 20;

/**
 * `vodhouse check`: checks the config and its files, then sends few requests that test each account,
 * connects to each target, and with `--notify` sends a test message. Returns the exit code, which is 2 if
 * `sync` and `start` refuse the config, because too many packages left it.
 */
export async function check(options: CheckOptions): Promise<number> {
  const config = loadConfig(options.config);
  const webhook = options.notify ? getWebhook(config, options.config) : null;
  return withPipeline('check', config, options, async ({ context, pipeline, signal }) => {
    const { formatCommand, logger } = context;
    warnIfPlanDoesNotFit(config, options, logger);
    const { warnings, refusal } = reportLeaving(config, formatCommand);
    for (const warning of [...warnings, ...findOpenEnvFile(config)])
      logger.warn({ event: 'config_warning', reason: warning }, warning);
    const isAll = options.all ?? false;
    const checked = await checkAll(pipeline, config, { isAll, webhook }, signal);
    const text = () => checkText(config, checked, { refusal, isAll, formatCommand });
    const document = { config: config.file, refused: refusal?.reason, ...checked };
    process.stdout.write(options.json ? formatJson(document) : text());
    return refusal ? EXIT.usage : exitCodeForChecks(checked);
  });
}

type Checked = Awaited<ReturnType<typeof checkAll>>;

async function checkAll(
  pipeline: Pipeline,
  config: Config,
  { isAll, webhook }: { isAll: boolean; webhook: string | null },
  signal: AbortSignal,
) {
  const checks = config.accounts.map(async (account) => {
    const client = pipeline.clients.get(account.name);
    return client ? checkAccount(config, account, client, { isAll, signal }) : [];
  });
  const checkingTargets = checkTargets(config, pipeline.warehouse);
  const testing = webhook === null ? null : sendTestMessage(webhook, config, Date.now());
  // an error must not close the pipeline while other checks still use it
  await Promise.allSettled([...checks, checkingTargets]);
  const findings = (await Promise.all(checks)).flat();
  const files = checkFiles(config, pipeline.warehouse, Date.now());
  return { files, findings, targets: await checkingTargets, webhook: await testing };
}

/** All checks as rows of the table. */
const listRows = ({ files, findings, targets, webhook }: Checked) => [
  ...files.map(({ file, path, ...row }) => ({ of: file, checked: path, ...row })),
  ...findings.map(({ account, asked, ...row }) => ({ of: account, checked: asked, ...row })),
  ...targets.flatMap(({ target, checks }) => checks.map((row) => ({ of: target, ...row }))),
  ...(webhook ? [describeWebhook(webhook)] : []),
];

const describeWebhook = ({ host, error }: TestResult) => ({
  of: 'webhook',
  checked: host,
  ok: error === null,
  result: error ?? 'accepted the test message',
  hint: error === null ? null : 'check notify.webhook in the config',
});

/** If no request, target and webhook succeeded, everything failed, although the files are good. */
function exitCodeForChecks(checked: Checked): number {
  if (listRows(checked).every(({ ok }) => ok)) return EXIT.done;
  return listRows({ ...checked, files: [] }).some(({ ok }) => ok) ? EXIT.partial : EXIT.failed;
}

/** Throws ConfigError if the config has none. Pings are not tested, because each one reports a run. */
function getWebhook({ notify }: Config, file: string): string {
  if (notify?.webhook) return notify.webhook;
  throw new ConfigError(`${file} has no notify.webhook to send a test message to`, {
    hint: 'add its address: notify: { webhook: "${VODHOUSE_WEBHOOK}" }',
  });
}

/** A warning if other users have access to the file with the keys. */
function findOpenEnvFile({ file }: Config): string[] {
  const path = join(dirname(file), '.env');
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o077) === 0
    ? []
    : [`other users have access to the keys in ${path}: chmod 600 ${shellQuote(path)}`];
}

async function checkAccount(
  { timezone }: Config,
  account: AccountConfig,
  client: ServiceClient,
  { isAll, signal }: { isAll: boolean; signal: AbortSignal },
): Promise<CheckResult[]> {
  const { name, packages } = account;
  const request = { purpose: 'check' as const, runId: null, signal };
  const checkPackages = async () => {
    const results: CheckResult[] = [];
    for (const { id } of isAll ? packages : packages.slice(0, MOST_PACKAGES)) {
      const { finding, isReachable } = await checkRequest(
        { account: name, package_id: id, stream: 'videos' },
        `package ${id}`,
        async () => {
          const { paging } = await client.videoPage({ ...request, packageId: id, page: 1, pageSize: 1 });
          return pluralize(paging.totalcount, 'video');
        },
      );
      results.push(finding);
      // the other packages have the same address and the same key
      if (!isReachable || !(finding.ok || isAll)) break;
    }
    return results;
  };
  const yesterday = addDays(createCalendar(timezone).dayAt(Date.now()), -1);
  const others = listStreamsOf(account).map(async ({ stream, packageId }) => {
    if (!isAccountStream(stream)) return [];
    const { asked, ask } = READERS[stream].check({ client, request, yesterday });
    return (await checkRequest({ account: name, package_id: packageId, stream }, asked, ask)).finding;
  });
  return (await Promise.all([checkPackages(), ...others])).flat();
}

type CheckedStream = StreamRow & { stream: StreamName };

/** Sends one request. A refusal or a fault of the service is a result; any other error is thrown. */
async function checkRequest(
  of: CheckedStream,
  asked: string,
  send: () => Promise<string>,
): Promise<{ finding: CheckResult; isReachable: boolean }> {
  const { account, package_id: packageId } = of;
  try {
    const finding = { account, packageId, asked, ok: true, result: await send(), hint: null };
    return { finding, isReachable: true };
  } catch (error) {
    const isFault = error instanceof RefusedError || error instanceof TransientError;
    if (!isFault && !(error instanceof ParkedError)) throw error;
    const isReachable = !(isFault && error.fault === 'connection');
    const advice = error instanceof RefusedError ? adviceFor(error, of) : null;
    const hint = error.hint ?? advice;
    const result = withoutSubject(errorMessage(error), of);
    return { finding: { account, packageId, asked, ok: false, result, hint }, isReachable };
  }
}

/** The part of the config to check after a refusal that has no hint. */
function adviceFor({ status }: RefusedError, { stream }: CheckedStream): string {
  const { section, refusable } = STREAM_KINDS[stream];
  if (status === 404) return `check ${section}.base_url in the config: the service has no such path`;
  return `check the key and ${refusable} in the config`;
}

/** Connects to each target, and reads who owns the accounts there. It changes no published row. */
function checkTargets({ publish, accounts, worker }: Config, warehouse: Warehouse) {
  const identity = readIdentity({ path: warehouse.path, warehouseId: getWarehouseId(warehouse.db) });
  async function check(config: TargetConfig) {
    try {
      const target = await openTarget(config, worker);
      const passed = { checked: 'target', ok: true, result: await target.check(), hint: null };
      const states = await target.readAccounts();
      const owners = accounts.map(({ name }) => {
        const state = states.get(name) ?? null;
        const refusal = findRefusal(name, state, identity, null, config.command);
        const result = refusal ? errorLine(refusal) : formatLoaded(state);
        return { checked: `account ${name}`, ok: !refusal, result, hint: hintLine(refusal) };
      });
      return [passed, ...owners];
    } catch (error) {
      return [{ checked: 'target', ok: false, result: errorLine(error), hint: hintLine(error) }];
    }
  }
  const targets = publish?.targets ?? [];
  return Promise.all(targets.map(async (each) => ({ target: each.name, checks: await check(each) })));
}

interface CheckTextOptions {
  refusal: LeavingReport['refusal'];
  isAll: boolean;
  formatCommand: FormatCommand;
}

function checkText(
  { file, accounts }: Config,
  checked: Checked,
  { refusal, isAll, formatCommand }: CheckTextOptions,
): string {
  const headline = refusal
    ? `${file}: REFUSED by sync and start: ${refusal.reason}\n  -> ${refusal.hint}`
    : `${file}: ok, ${pluralize(accounts.length, 'account')}`;
  const rows = worstFirst(listRows(checked), ({ ok }) => ok);
  const table = formatFirst(
    rows.map(({ of, checked, ok, result }) => ({ of, checked, '': ok ? 'ok' : 'FAILED', result })),
    { most: MOST_ROWS, command: formatCommand(`check${isAll ? ' --all' : ''} --json`) },
  );
  const byHint = groupBy(
    rows.filter(({ hint }) => hint),
    ({ hint }) => hint ?? '',
  );
  const hints = [...byHint].map(
    ([hint, alike]) => `  -> ${listFirst(alike.map(({ of, checked }) => `${of} ${checked}`))}: ${hint}`,
  );
  const asked = checked.findings.filter(({ packageId }) => packageId !== null).length;
  const all = accounts.flatMap(({ packages }) => packages).length;
  const hasAll = isAll || asked === all;
  const left = `  ${asked} of ${pluralize(all, 'package')} asked; ${formatCommand('check --all')} asks each`;
  return `${[headline, '', table, ...(hasAll ? [] : [left]), ...hints].join('\n')}\n`;
}
