/** `publish --rebuild` and `--take-over`: what will be deleted and replaced, and whether a person wants that. */
import { commandsFor, shellQuote } from '../health/commands.ts';
import { VodhouseError } from '../lib/errors.ts';
import { escapeControls, formatCount } from '../lib/format.ts';
import type { TargetConfig } from '../config/config.ts';
import { openAccess } from '../publishing/targets/open-target.ts';
import type { LoadRequest } from '../publishing/targets/target-request.ts';
import { isConfirmed } from './confirm.ts';
import type { PublishOptions } from './load-request.ts';

/**
 * Says on stderr whose the account is, and what will be replaced by what. `own`: rows of the live file by table. Asks, unless
 * `--yes` was given. Throws ConfigError where nobody can be asked, VodhouseError if the target cannot be read.
 */
export async function confirmLoad(
  target: TargetConfig,
  { account, kind }: NonNullable<LoadRequest['force']>,
  options: PublishOptions,
  own: { videos: number; states: number },
  signal: AbortSignal,
): Promise<boolean> {
  const access = await openAccess(target);
  try {
    const state = (await access.readAccounts()).get(account);
    const rows = state ? await access.countRows(account) : {};
    const loaded = state
      ? `loaded by ${state.worker}, ${state.loadedAt ?? 'not completely'} UTC`
      : 'not loaded yet';
    const list = (counts: Record<string, number>) =>
      Object.entries(counts)
        .map(([table, count]) => `${formatCount(count)} rows of ${table}`)
        .join(', ') || 'nothing';
    const text = `target ${target.name}, account ${account}, ${loaded}:
  deleted: ${list(rows)}
  loaded:  ${list({ videos: own.videos, video_history: own.states })}, and all else of this warehouse\n`;
    process.stderr.write(escapeLines(text));
  } catch (error) {
    const { message, hint } = access.describe(error);
    throw new VodhouseError(`target ${target.name}: ${message}; nothing was changed`, {
      hint: hint ?? undefined,
    });
  } finally {
    await access.close();
  }
  if (options.yes) return true;
  const words = `publish --target ${shellQuote(target.name)} --${kind} ${shellQuote(account)}`;
  return isConfirmed('Continue?', commandsFor(options.config)(words), signal);
}

const escapeLines = (text: string): string => text.split('\n').map(escapeControls).join('\n');
