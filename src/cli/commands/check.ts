import type { AccountConfig, Config } from '../../config/config.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { addDays } from '../../lib/days.ts';
import { errorMessage, ParkedError, RefusedError, TransientError } from '../../lib/errors.ts';
import { readStorageDay } from '../../service/storage.ts';
import type { ServiceClient } from '../../service/client/client.ts';
import { EXIT } from '../exit.ts';
import { warnIfPlanDoesNotFit } from '../../capacity/plan-report.ts';
import { openCommandContext, readConfig, type ConfigOptions } from '../command-context.ts';
import { abortOnSignal } from '../signals.ts';
import { pluralize } from '../../lib/format.ts';
import { formatJson, table } from '../output/output.ts';
import { openPipeline } from '../../app/pipeline.ts';

export interface CheckOptions extends ConfigOptions {
  all?: true;
  json?: true;
}

/** One question to the service, and what came of it. */
interface Finding {
  account: string;
  asked: string;
  ok: boolean;
  result: string;
  hint?: string | undefined;
}

/** `vodhouse check`: the config, then the least that tells whether the service answers. Gives the exit code. */
export async function check(options: CheckOptions): Promise<number> {
  const config = readConfig(options);
  const session = openCommandContext('check', options, config.secrets);
  const stop = abortOnSignal();
  const pipeline = openPipeline(config, session);
  try {
    warnIfPlanDoesNotFit(config, options, session.logger);
    const findings: Finding[] = [];
    for (const account of config.accounts) {
      const client = pipeline.clients.get(account.name);
      if (client)
        findings.push(...(await checkAccount(config, account, client, options.all ?? false, stop.signal)));
    }
    process.stdout.write(options.json ? findingsJson(config, findings) : asText(config, findings));
    return exitOf(findings);
  } finally {
    await pipeline.close();
    session.close();
  }
}

async function checkAccount(
  config: Config,
  account: AccountConfig,
  client: ServiceClient,
  all: boolean,
  signal: AbortSignal,
) {
  const asking = { purpose: 'check' as const, runId: null, signal };
  const findings: Finding[] = [];
  for (const { id } of all ? account.packages : account.packages.slice(0, 1)) {
    findings.push(
      await ask(account.name, `package ${id}`, async () => {
        const { paging } = await client.videoPage({ ...asking, packageId: id, page: 1, pageSize: 1 });
        return pluralize(paging.totalcount, 'video');
      }),
    );
  }
  if (!account.storage) return findings;
  const yesterday = addDays(createCalendar(config.timezone).dayAt(Date.now()), -1);
  const storage = await ask(account.name, `storage of ${yesterday}`, async () => {
    const { records } = await client.storageDays({ ...asking, from: yesterday, to: yesterday });
    const days = records.map(readStorageDay).filter((read) => 'day' in read && read.day.date === yesterday);
    return days.length === 0 ? 'answers, but has no figures of that day' : 'answers with its figures';
  });
  return [...findings, storage];
}

async function ask(account: string, asked: string, question: () => Promise<string>): Promise<Finding> {
  try {
    return { account, asked, ok: true, result: await question() };
  } catch (error) {
    if (!isFinding(error)) throw error;
    const hint =
      error instanceof RefusedError ? (error.hint ?? 'check key and package in the config') : undefined;
    return { account, asked, ok: false, result: errorMessage(error), hint };
  }
}

/** What tells of the service; a signal, or a file that cannot be used, ends the command. */
function isFinding(error: unknown): boolean {
  return error instanceof TransientError || error instanceof RefusedError || error instanceof ParkedError;
}

function exitOf(findings: readonly Finding[]): number {
  const good = findings.filter((finding) => finding.ok).length;
  if (good === findings.length) return EXIT.done;
  return good === 0 ? EXIT.failed : EXIT.partial;
}

function asText(config: Config, findings: readonly Finding[]): string {
  const rows = findings.map(({ account, asked, ok, result }) => [
    account,
    asked,
    ok ? 'ok' : 'FAILED',
    result,
  ]);
  const hints = findings.flatMap(({ account, asked, hint }) =>
    hint ? [`  -> ${account}, ${asked}: ${hint}`] : [],
  );
  const configLine = `${config.file}: ok, ${pluralize(config.accounts.length, 'account')}`;
  return `${[configLine, '', table(['account', 'asked', '', 'result'], rows), ...hints].join('\n')}\n`;
}

function findingsJson(config: Config, findings: readonly Finding[]): string {
  return formatJson({
    config: config.file,
    findings: findings.map(({ hint = null, ...finding }) => ({ ...finding, hint })),
  });
}
