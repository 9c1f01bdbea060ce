/** The packages that a worker continues with where it cannot take those of a CSV file. */
import type { Config } from '../config/config.ts';
import { readLiveHolder } from '../database/lock.ts';
import type { Db } from '../database/connection.ts';
import { readPackages } from '../queries/named/packages.ts';

/**
 * The config with the packages of the live file, for accounts whose CSV file cannot be used (`unusable`:
 * their names), or is refused by the running worker.
 */
export function withKnownPackages(config: Config, unusable: readonly string[], db: Db): Config {
  const isRefused = readLiveHolder(config.warehouse, 'worker')?.packages;
  const isKept = ({ name, packagesFile }: Config['accounts'][number]) =>
    packagesFile !== null && (isRefused || unusable.includes(name));
  if (!config.accounts.some(isKept)) return config;
  const rows = readPackages(db);
  const accounts = config.accounts.map((account) => {
    if (!isKept(account)) return account;
    const written = new Map(account.packages.map((each) => [each.id, each]));
    const known = rows.filter((row) => row.account === account.name);
    const packages = known.map(
      ({ package_id: id, name, schedule }) =>
        written.get(id) ?? { id, name, ...(schedule !== null && { full: schedule }) },
    );
    return { ...account, packages };
  });
  return { ...config, accounts };
}
