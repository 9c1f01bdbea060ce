import { loadConfig } from '../../config/load.ts';
import { shellQuote } from '../../lib/shell-command.ts';
import type { CorrectionOffer } from '../../sync/storage/correction.ts';
import type { ConfigOptions } from '../command-context.ts';
import { isConfirmed } from '../confirm.ts';
import { EXIT } from '../exit.ts';
import { assertAccount } from '../requirements.ts';
import { formatRecords } from '../output/table.ts';
import { publishChange, withPipeline } from '../with-pipeline.ts';
import { transact } from '../../database/transaction.ts';
import { correctDay } from '../../warehouse/store-days.ts';

export interface CorrectOptions extends ConfigOptions {
  yes?: true;
  reason?: string;
}

const DEFAULT_REASON = 'the service reports these figures now';

/** `vodhouse correct ACCOUNT DATE`: accepts the service's figures of a booked day. Returns the exit code. */
export async function correct(account: string, date: string, options: CorrectOptions): Promise<number> {
  const config = loadConfig(options.config);
  assertAccount(config, account);
  return withPipeline('correct', config, options, async (opened) => {
    const { pipeline, context, signal } = opened;
    const offer = await pipeline.readCorrection(account, date, signal);
    if (offer.differing.length === 0) {
      process.stdout.write(
        `the service reports the same figures of ${account} ${date} as readers see: nothing to correct\n`,
      );
      return EXIT.done;
    }
    process.stdout.write(`${account} ${date}\n\n${offerTable(offer)}\n\n`);
    const { yes, reason = DEFAULT_REASON } = options;
    const command = context.formatCommand(`correct ${shellQuote(account)} ${date}`);
    if (!(await isConfirmed('Accept the figures of the service as a correction?', { yes, command }, signal)))
      return EXIT.done;
    pipeline.warehouse.assertNotReplaced(); // it may have been replaced while the question was open
    const acceptedAt = context.clock.now();
    transact(pipeline.warehouse.db, (tx) =>
      correctDay(tx, { account, row: offer.observed, acceptedAt, reason }),
    );
    process.stdout.write(
      `corrected ${account} ${date}: readers see the new figures; the booked row does not change\n`,
    );
    return publishChange(opened);
  });
}

function offerTable({ booked, corrected, observed, differing }: CorrectionOffer): string {
  return formatRecords(
    differing.map((figure) => ({
      figure,
      booked: booked[figure] ?? null,
      corrected: corrected?.[figure] ?? null,
      'service now': observed[figure] ?? null,
    })),
  );
}
