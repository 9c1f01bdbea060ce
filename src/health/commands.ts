/** What commands name: drift, packages, and removals that a person accepts. */
import type { AccountConfig } from '../config/config.ts';
import { shellQuote, type FormatCommand } from '../lib/shell-command.ts';
import type { PackageRow } from '../sync/package-key.ts';

/** Names drift as `acknowledge` takes it. */
export const driftName = (row: Record<'account' | 'stream' | 'field', string>): string =>
  shellQuote(`${row.account}/${row.stream}/${row.field}`);

type Accounts = readonly Pick<AccountConfig, 'name' | 'packages'>[];

/** Names packages as `sync --package` takes them: with the account if several have one of that number. */
export function packageNames(accounts: Accounts): (row: PackageRow) => string {
  const owners = new Map<number, string[]>();
  for (const { name, packages } of accounts) {
    for (const { id } of packages) owners.set(id, [...(owners.get(id) ?? []), name]);
  }
  return ({ account, package_id: id }) => {
    const isElsewhere = owners.get(id)?.some((name) => name !== account) ?? false;
    return isElsewhere ? shellQuote(`${account}/${id}`) : String(id);
  };
}

/** Removals of one package that are held back; `held_by`: the last walk that held some. */
export interface Held extends PackageRow {
  held_by: number;
}

/**
 * Formats commands that accept removals: any, or those that the walk `held_by` or an earlier one held back.
 */
export function acceptRemovalsCommands(
  typed: FormatCommand,
  accounts: Accounts,
): (row: PackageRow & Partial<Held>) => string {
  const nameOf = packageNames(accounts);
  return ({ held_by: walk, ...row }) =>
    typed(`sync --package ${nameOf(row)} --accept-removals${walk === undefined ? '' : ` walk:${walk}`}`);
}
