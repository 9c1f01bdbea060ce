import { createInterface } from 'node:readline/promises';
import type { Config } from '../../config/config.ts';
import { isDay } from '../../lib/days.ts';
import { ConfigError } from '../../lib/errors.ts';
import { findNearest } from '../../lib/did-you-mean.ts';
import { formatCount } from '../../lib/format.ts';
import type { CorrectionOffer } from '../../sync/storage/correction.ts';
import { EXIT } from '../exit.ts';
import { exitOfSync, publishAfterRun, publishedLines } from './publish.ts';
import { openCommandContext, readConfig, type ConfigOptions } from '../command-context.ts';
import { abortOnSignal } from '../signals.ts';
import { table } from '../output/output.ts';
import { openPipeline } from '../../app/pipeline.ts';

export interface CorrectOptions extends ConfigOptions {
  yes?: true;
  reason?: string;
}

const REASON = 'the service reports these figures now';

/** `vodhouse correct ACCOUNT DATE`: takes the service's figures of a booked day as a correction. Gives the exit code. */
export async function correct(options: CorrectOptions, account: string, date: string): Promise<number> {
  const config = readConfig(options);
  assertDay(config, account, date);
  const session = openCommandContext('correct', options, config.secrets);
  const { signal } = abortOnSignal();
  const pipeline = openPipeline(config, session);
  try {
    const offer = await pipeline.readCorrection(account, date, signal);
    if (offer.differing.length === 0) {
      process.stdout.write(
        `the service reports what readers see of ${account} ${date}: nothing to correct\n`,
      );
      return EXIT.done;
    }
    process.stdout.write(`${offerTable(account, date, offer)}\n`);
    if (!(await isAccepted(options, account, date, signal))) {
      process.stdout.write('nothing was changed\n');
      return EXIT.done;
    }
    const reason = options.reason ?? REASON;
    const acceptedAt = session.clock.now();
    pipeline.warehouse.refuseReplaced(); // while the question was open
    await pipeline.warehouse.correctDay({ account, row: offer.observed, acceptedAt, reason });
    process.stdout.write(
      `corrected: ${account} ${date}; the booked row stands, readers see the new figures\n`,
    );
    const published = await publishAfterRun(pipeline, session, signal, null);
    process.stdout.write(publishedLines(published));
    return exitOfSync('succeeded', published);
  } finally {
    await pipeline.close();
    session.close();
  }
}

function assertDay({ accounts }: Config, account: string, date: string): void {
  const names = accounts.map(({ name }) => name);
  if (!names.includes(account)) {
    const close = findNearest(account, names);
    const hint = close ? `did you mean ${close}?` : `the config has ${names.join(', ')}`;
    throw new ConfigError(`there is no account ${account}`, { hint });
  }
  if (isDay(date)) return;
  throw new ConfigError(`${date} is not a day`, { hint: 'write it as yyyy-mm-dd, such as 2026-03-09' });
}

function offerTable(account: string, date: string, offer: CorrectionOffer): string {
  const { booked, corrected, observed, differing } = offer;
  const text = (value: number | null | undefined) => (value == null ? '\u2013' : formatCount(value));
  const rows = differing.map((figure) => [
    figure,
    text(booked[figure]),
    ...(corrected ? [text(corrected[figure])] : []),
    text(observed[figure]),
  ]);
  const headings = ['figure', '>as booked', ...(corrected ? ['>as corrected'] : []), '>the service now'];
  return `${account} ${date}\n\n${table(headings, rows)}\n`;
}

/** Asks at the terminal, unless `--yes` says it. Throws ConfigError where nobody can be asked. */
async function isAccepted(
  { yes }: CorrectOptions,
  account: string,
  date: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) {
    throw new ConfigError('nobody can be asked: stdin is no terminal; nothing was changed', {
      hint: `vodhouse correct ${account} ${date} --yes takes the figures without asking`,
    });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('Take the figures of the service as a correction? [y/N] ', {
      signal,
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
