/** Accounts that a live file gave away, or is about to: no run of this file syncs them. */
import type { Config } from '../config/config.ts';
import { commandsFor, shellQuote, type FormatCommand } from '../health/commands.ts';
import type { MovedAccount } from '../lib/account-origins.ts';
import { ConfigError, NEXT_LINE } from '../lib/errors.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** One sentence: where the account is, or was about to go. */
export function describeMove({ account, state, otherFile, at }: MovedAccount): string {
  if (state === 'left') return `account ${account} was moved to ${otherFile} (${at} UTC)`;
  return `a move of account ${account} to ${otherFile} was broken off (begun ${at} UTC)`;
}

/** Throws ConfigError where the config has an account that was moved away: it would be fetched again, and twice from now on. */
export function assertNotMovedAway(
  { accounts, file }: Pick<Config, 'accounts' | 'file'>,
  moves: readonly MovedAccount[],
): void {
  const left = moves.filter(
    ({ account, state }) => state === 'left' && accounts.some(({ name }) => name === account),
  );
  const [first] = left;
  if (first === undefined) return;
  throw new ConfigError(`${left.map(describeMove).join('; ')}; nothing was sent`, {
    hint: [
      `take ${left.map(({ account }) => account).join(', ')} out of ${file}, and put it into the config of that file`,
      `where that file has lost it, this says what to do: ${commandsFor(file)(`move ${shellQuote(first.account)} --to ${shellQuote(first.otherFile)}`)}`,
    ].join(NEXT_LINE),
  });
}

/**
 * Throws ConfigError for a new name of an account that was moved away, or is about to be: its mark would be got around. And for
 * a new name that such an account has: its mark would stand for another account.
 */
export function assertMayRename(
  { file }: Pick<Config, 'file'>,
  { name, was }: { name: string; was: string },
  warehouse: Pick<Warehouse, 'findMove' | 'hasAccount'>,
): void {
  const old = warehouse.findMove(was);
  if (old?.state === 'leaving')
    throw new ConfigError(`account ${name} was ${was}: ${describeMove(old)}`, {
      hint: `remove \`was: ${was}\`, and finish the move`,
    });
  if (old?.state === 'left')
    throw new ConfigError(`account ${name} was ${was}: ${describeMove(old)}; nothing was sent`, {
      hint: warehouse.hasAccount(name)
        ? `remove \`was: ${was}\``
        : `take ${name} out of ${file}, and put it into the config of that file, there with \`was: ${was}\``,
    });
  const taken = warehouse.hasAccount(was) ? warehouse.findMove(name) : null;
  if (taken === null || taken.state === 'here') return;
  throw new ConfigError(
    `account ${was} cannot become ${name}: ${describeMove(taken)}; nothing was renamed or sent`,
    { hint: `give ${was} another name than ${name}` },
  );
}

/** Why accounts of the config are not synced, by their names: their moves were broken off. */
export function findLeavingMoves(
  moves: readonly MovedAccount[],
  formatCommand: FormatCommand,
): Map<string, string> {
  const leaving = moves.filter(({ state }) => state === 'leaving');
  return new Map(
    leaving.map((move) => [move.account, `${describeMove(move)}; ${toFinish(move, formatCommand)}`]),
  );
}

/** How a move that was broken off ends. */
export const toFinish = ({ account, otherFile }: MovedAccount, format: FormatCommand): string =>
  `${format(`move ${shellQuote(account)} --to ${shellQuote(otherFile)}`)} finishes it, --take-back undoes it`;

/** Throws ConfigError where no account of the config may be synced. */
export function assertNotAllLeaving(
  { accounts }: Pick<Config, 'accounts'>,
  leaving: ReadonlyMap<string, string>,
): void {
  const reasons = accounts.map(({ name }) => leaving.get(name));
  const [first] = reasons;
  if (first === undefined || reasons.includes(undefined)) return;
  throw new ConfigError(`${reasons.join('; ')}; nothing was sent`);
}

/** Throws ConfigError where an account was moved away, or its move was broken off: not one request of it is sent here. */
export function assertNotMoving(
  config: Pick<Config, 'accounts' | 'file'>,
  moves: readonly MovedAccount[],
  formatCommand: FormatCommand,
): void {
  assertNotMovedAway(config, moves);
  const leaving = findLeavingMoves(moves, formatCommand);
  const reasons = config.accounts.flatMap(({ name }) => leaving.get(name) ?? []);
  if (reasons.length > 0) throw new ConfigError(`${reasons.join('; ')}; nothing was sent`);
}
