/** The names of a config that the shell completes: accounts, packages and targets. */
import type { Config } from '../config/config.ts';
import { loadConfigWithoutFiles } from '../config/load.ts';
import { DEFAULT_CONFIG } from '../health/commands.ts';

interface Candidate {
  value: string;
  description: string;
}

export interface ConfiguredNames {
  accounts: Candidate[];
  /** As `--package` takes them: an id that several accounts have is `ACCOUNT/ID`. */
  packages: Candidate[];
  targets: Candidate[];
}

/** The names in the config that the words of a command line mean; null where it cannot be read. */
export function readConfiguredNames(words: readonly string[]): ConfiguredNames | null {
  try {
    const { config } = loadConfigWithoutFiles(findConfig(words));
    return listNames(config);
  } catch {
    return null; // there is nothing to complete; the command itself says what is wrong
  }
}

function findConfig(words: readonly string[]): string {
  const joined = words.find((word) => word.startsWith('--config='))?.slice('--config='.length);
  const index = words.indexOf('--config');
  return joined ?? (index < 0 ? undefined : words[index + 1]) ?? DEFAULT_CONFIG;
}

function listNames({ accounts, publish }: Config): ConfiguredNames {
  const ids = accounts.flatMap(({ packages }) => packages.map(({ id }) => id));
  const isTwice = (id: number) => ids.indexOf(id) !== ids.lastIndexOf(id);
  const listPackages = ({ name, packages }: Config['accounts'][number]) =>
    packages.map(({ id, name: description }) => ({
      value: isTwice(id) ? `${name}/${id}` : String(id),
      description: description ?? name,
    }));
  return {
    accounts: accounts.map(({ name }) => ({ value: name, description: '' })),
    packages: accounts.flatMap(listPackages),
    targets: publish?.targets.map(({ name }) => ({ value: name, description: '' })) ?? [],
  };
}
