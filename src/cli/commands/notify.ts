import { sendTestMessage, type TestResult } from '../../alerts/test-message.ts';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { commandsFor, type FormatCommand } from '../../health/commands.ts';
import { systemClock } from '../../lib/clock.ts';
import { ConfigError } from '../../lib/errors.ts';
import type { JsonOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { formatJson } from '../output/output.ts';

/** `vodhouse notify --test`: sends a test message to each webhook. Returns the exit code. */
export async function notify(options: JsonOptions & { test?: true }): Promise<number> {
  const config = loadConfig(options.config);
  const formatCommand = commandsFor(options.config);
  if (!options.test)
    throw new ConfigError('alerts are sent by runs and by the worker; to send a test message now:', {
      hint: formatCommand('notify --test'),
    });
  const webhook = getWebhook(config, options.config, formatCommand);
  const webhooks = [await sendTestMessage(webhook, config, systemClock.now())];
  process.stdout.write(
    options.json
      ? formatJson({ webhooks })
      : webhooks.map((each) => formatResult(each, options.config)).join(''),
  );
  const failed = webhooks.filter(({ error }) => error !== null).length;
  if (failed === 0) return EXIT.done;
  return failed === webhooks.length ? EXIT.failed : EXIT.partial;
}

/** Throws ConfigError if there is none. Pings are not tested: each of them tells that a run began or ended. */
function getWebhook({ notify: section }: Config, file: string, formatCommand: FormatCommand): string {
  if (section?.webhook) return section.webhook;
  const add = section ? 'webhook: ${VODHOUSE_WEBHOOK}' : 'notify: { webhook: "${VODHOUSE_WEBHOOK}" }';
  const place = section ? `under notify in ${file}` : `to ${file}`;
  const pings = section?.ping ? `; to test notify.ping, make a run: ${formatCommand('sync --quick')}` : '';
  throw new ConfigError(`${file} has no notify.webhook to send a test message to`, {
    hint: `add the address ${place}: ${add}${pings}`,
  });
}

function formatResult({ host, error }: TestResult, file: string): string {
  return error === null
    ? `the webhook at ${host} accepted the test message\n`
    : `the webhook at ${host} did not accept the test message: ${error}\n  -> check notify.webhook in ${file}\n`;
}
