/** What to do about problems, and about the causes of incomplete runs. Both have the same texts. */
import type { FailureKind } from '../database/schema/runs.ts';
import type { FormatCommand } from '../lib/shell-command.ts';
import { STREAM_KINDS } from '../sync/streams.ts';

/** The one thing to do: a text, a command to type, or both. */
export interface Advice {
  text: string | null;
  command: string | null;
}

export const advise = (text: string | null, command: string | null = null): Advice => ({ text, command });

/** The advice in one line: `to see what works: vodhouse check`. */
export const formatAdvice = ({ text, command }: Advice): string =>
  [text, command].filter((part) => part !== null).join(': ');

/** What to do about an account of which nothing, or not everything, could be read. */
export const adviseOnAccount = (kind: FailureKind, formatCommand: FormatCommand): Advice =>
  advise(
    kind === 'refused'
      ? `check the key and ${STREAM_KINDS.videos.refusable} in the config; to test them`
      : 'it is tried again at each run; to see what works',
    formatCommand('check'),
  );

const NEVER_READ =
  'it was never read: check its id, and the address and key of the account, or take it out; to try it again';

/** What to do about one stream that could not be read. `isRead`: it was read before. `command` reads it. */
export const adviseOnStream = (isRead: boolean, command: string): Advice =>
  advise(isRead ? 'it is tried again at each run; to try it now' : NEVER_READ, command);

/** What to do about a run, or a part of one, that waits for the budget. */
export const adviseToWait = (formatCommand: FormatCommand): Advice =>
  advise('a worker resumes by itself; without one, after that time', formatCommand('sync'));

export const SET_CLOCK = advise("set the machine's clock", 'timedatectl');

const TO_ACCEPT =
  'they are removed once another full walk, at least one schedule later, confirms them; ' +
  'to accept exactly these now';

/** What to do about removals that are held back; `command` accepts them. */
export const adviseToAccept = (command: string): Advice => advise(TO_ACCEPT, command);
