/** What commands name: drift, packages, and removals that a person accepts. */
import type { AccountConfig } from '../config/config.ts';
import { shellQuote, type FormatCommand } from '../lib/shell-command.ts';
import type { PackageRow } from '../sync/package-key.ts';

/** Names drift as `acknowledge` takes it. */
export function driftName({
  account,
  stream,
  field,
}: Record<'account' | 'stream' | 'field', string>): string {
  return shellQuote(`${account}/${stream}/${field}`);
}

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

/** Formats commands that accept that a package was filled with other videos. */
export function acceptPageCommands(
  typed: FormatCommand,
  accounts: Accounts,
): (key: { account: string; packageId: number }) => string {
  const nameOf = packageNames(accounts);
  return ({ account, packageId: package_id }) =>
    typed(`sync --package ${nameOf({ account, package_id })} --accept-removals`);
}

/** Formats commands that accept the removals that the named walk, or an earlier one, held back. */
export function acceptRemovalsCommands(typed: FormatCommand, accounts: Accounts): (held: Held) => string {
  const nameOf = packageNames(accounts);
  return (held) => typed(`sync --package ${nameOf(held)} --accept-removals walk:${held.held_by}`);
}
