import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sendTestMessage, type TestResult } from '../../alerts/test-message.ts';
import type { AccountConfig, Config, TargetConfig } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { reportLeaving, type LeavingReport } from '../../app/leaving.ts';
import { openPipeline, type Pipeline } from '../../app/pipeline.ts';
import { warnIfPlanDoesNotFit } from '../../capacity/plan-report.ts';
import { commandsFor, shellQuote } from '../../health/commands.ts';
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
import { openTarget } from '../../publishing/targets/loader.ts';
import { findRefusal, readIdentity } from '../../publishing/targets/ownership.ts';
import type { ServiceClient } from '../../service/client/client.ts';
import { readStorageDay } from '../../service/storage.ts';
import type { Warehouse } from '../../warehouse/warehouse.ts';
import { openCommandContext, type JsonOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { formatJson } from '../output/output.ts';
import { formatRecords } from '../output/table.ts';
import { abortOnSignal } from '../signals.ts';

/** One request to the service and its result. */
interface CheckResult {
  account: string;
  /** What was requested; the key is that of the JSON document. */
  asked: string;
  ok: boolean;
  result: string;
  hint: string | null;
}

type CheckOptions = JsonOptions & { all?: true; notify?: true };

/**
 * `vodhouse check`: checks the config, then sends the fewest requests that test each account, connects to each target, and with
 * `--notify` sends a test message. Returns the exit code: 2 where `sync` and `start` refuse the config, because too much left it.
 */
export async function check(options: CheckOptions): Promise<number> {
  const config = loadConfig(options.config);
  const webhook = options.notify ? getWebhook(config, options.config) : null;
  const context = await openCommandContext('check', options, config.secrets);
  const { signal } = abortOnSignal();
  const pipeline = openPipeline(config, context);
  try {
    warnIfPlanDoesNotFit(config, options, context.logger);
    const { warnings, refusal } = reportLeaving(config, commandsFor(options.config));
    for (const warning of [...warnings, ...findOpenEnvFile(config)])
      context.logger.warn({ event: 'config_warning', reason: warning }, warning);
    const checked = await checkAll(pipeline, config, { isAll: options.all ?? false, webhook }, signal);
    process.stdout.write(
      options.json
        ? formatJson(checkDocument(config, checked, refusal))
        : checkText(config, checked, refusal) + webhookText(checked.webhook, options.config),
    );
    return refusal ? EXIT.usage : exitCodeForChecks(checked);
  } finally {
    await pipeline.close();
    context.close();
  }
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
    const packages = isAll ? account.packages : account.packages.slice(0, 1);
    return client ? checkAccount(config, { ...account, packages }, client, signal) : [];
  });
  const checkingTargets = checkTargets(config, pipeline.warehouse);
  const testing = webhook === null ? null : sendTestMessage(webhook, config, Date.now());
  await Promise.allSettled([...checks, checkingTargets]); // the pipeline must not be closed while one is at work
  const findings = (await Promise.all(checks)).flat();
  return { findings, targets: await checkingTargets, webhook: await testing };
}

function checkDocument({ file }: Config, checked: Checked, refusal: LeavingReport['refusal']) {
  const { findings, targets, webhook } = checked;
  const refused = refusal?.reason ?? null;
  return { config: file, refused, findings, targets, webhook };
}

function exitCodeForChecks({ findings, targets, webhook }: Checked): number {
  const results = [
    ...findings.map(({ ok }) => ok),
    ...targets.flatMap(({ checks }) => checks.map(({ ok }) => ok)),
    ...(webhook ? [webhook.error === null] : []),
  ];
  if (!results.includes(false)) return EXIT.done;
  return results.includes(true) ? EXIT.partial : EXIT.failed;
}

/** Throws ConfigError if there is none. Pings are not tested: each of them tells that a run began or ended. */
function getWebhook({ notify }: Config, file: string): string {
  if (notify?.webhook) return notify.webhook;
  throw new ConfigError(`${file} has no notify.webhook to send a test message to`, {
    hint: 'add its address: notify: { webhook: "${VODHOUSE_WEBHOOK}" }',
  });
}

function webhookText(result: TestResult | null, file: string): string {
  if (!result) return '';
  return result.error === null
    ? `\nthe webhook at ${result.host} accepted the test message\n`
    : `\nthe webhook at ${result.host} did not accept the test message: ${result.error}\n  -> check notify.webhook in ${file}\n`;
}

/** A warning where other users have access to the file with the keys. */
function findOpenEnvFile({ file }: Config): string[] {
  const path = join(dirname(file), '.env');
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o077) === 0
    ? []
    : [`other users have access to the keys in ${path}: chmod 600 ${shellQuote(path)}`];
}

async function checkAccount(
  { timezone }: Config,
  { name, packages, storage }: AccountConfig,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const request = { purpose: 'check' as const, runId: null, signal };
  const checkPackages = async () => {
    const results: CheckResult[] = [];
    for (const { id } of packages) {
      const { finding, isReachable } = await checkRequest(name, `package ${id}`, async () => {
        const { paging } = await client.videoPage({ ...request, packageId: id, page: 1, pageSize: 1 });
        return pluralize(paging.totalcount, 'video');
      });
      results.push(finding);
      if (!isReachable) break; // the other packages are at the same address
    }
    return results;
  };
  if (!storage) return checkPackages();
  const yesterday = addDays(createCalendar(timezone).dayAt(Date.now()), -1);
  const checkStorage = checkRequest(name, `storage of ${yesterday}`, async () => {
    const { records } = await client.storageDays({ ...request, from: yesterday, to: yesterday });
    const days = records.map(readStorageDay).filter((read) => 'day' in read && read.day.date === yesterday);
    return `answers${days.length === 0 ? ', but without' : ' with'} figures of that day`;
  });
  const [videos, { finding }] = await Promise.all([checkPackages(), checkStorage]);
  return [...videos, finding];
}

/** An error of the service is a result; any other ends the command. */
async function checkRequest(
  account: string,
  asked: string,
  send: () => Promise<string>,
): Promise<{ finding: CheckResult; isReachable: boolean }> {
  try {
    const finding = { account, asked, ok: true, result: await send(), hint: null };
    return { finding, isReachable: true };
  } catch (error) {
    const isFault = error instanceof RefusedError || error instanceof TransientError;
    if (!isFault && !(error instanceof ParkedError)) throw error;
    const isReachable = !(isFault && error.fault === 'connection');
    const advice = error instanceof RefusedError ? adviceFor(error, asked) : null;
    const hint = error.hint ?? advice;
    return { finding: { account, asked, ok: false, result: errorMessage(error), hint }, isReachable };
  }
}

/** What of the config a refusal without a hint is about. */
function adviceFor({ status }: RefusedError, asked: string): string {
  if (asked.startsWith('storage'))
    return status === 404
      ? 'check storage.base_url in the config: the service has no such path'
      : 'check the key and `auth` of the storage in the config';
  return status === 404
    ? 'check video_list.base_url in the config: the service has no such path'
    : 'check key and package in the config';
}

/** What was looked at of a target, and the result in one sentence; `hint`: what to type or do. As the JSON document has it. */
interface TargetCheck {
  checked: string;
  ok: boolean;
  result: string;
  hint: string | null;
}

const toFailed = (checked: string, error: unknown): TargetCheck => ({
  ...{ checked, ok: false, result: errorLine(error), hint: hintLine(error) },
});
const toPassed = (checked: string, result: string): TargetCheck => ({
  ...{ checked, ok: true, result, hint: null },
});

/** Tries each target, and looks who owns the accounts; changes nothing that a reader sees. */
function checkTargets({ publish, accounts, worker }: Config, warehouse: Warehouse) {
  const identity = readIdentity(warehouse);
  async function check(config: TargetConfig): Promise<TargetCheck[]> {
    try {
      const target = await openTarget(config, worker);
      const passed = toPassed('target', await target.check());
      const states = await target.readAccounts();
      const owners = accounts.map(({ name }) => {
        const state = states.get(name) ?? null;
        const refusal = findRefusal(name, state, identity, null, config.name);
        if (refusal) return toFailed(`account ${name}`, refusal);
        const loaded = state
          ? `loaded by ${state.worker}, ${state.loadedAt ?? 'never'} UTC`
          : 'not loaded yet';
        return toPassed(`account ${name}`, loaded);
      });
      return [passed, ...owners];
    } catch (error) {
      return [toFailed('target', error)];
    }
  }
  const targets = publish?.targets ?? [];
  return Promise.all(targets.map(async (each) => ({ target: each.name, checks: await check(each) })));
}

function checkText(
  { file, accounts }: Config,
  { findings, targets }: Checked,
  refusal: LeavingReport['refusal'],
): string {
  const headline = refusal
    ? `${file}: REFUSED by sync and start: ${refusal.reason}\n  -> ${refusal.hint}`
    : `${file}: ok, ${pluralize(accounts.length, 'account')}`;
  const rows = [
    ...findings.map(({ account, asked, ...row }) => ({ of: account, checked: asked, ...row })),
    ...targets.flatMap(({ target, checks }) => checks.map((row) => ({ of: target, ...row }))),
  ];
  const table = formatRecords(
    rows.map(({ of, checked, ok, result }) => ({ of, checked, '': ok ? 'ok' : 'FAILED', result })),
  );
  const hints = rows.flatMap(({ of, checked, hint }) => (hint ? [`  -> ${of}, ${checked}: ${hint}`] : []));
  return `${[headline, '', table, ...hints].join('\n')}\n`;
}
