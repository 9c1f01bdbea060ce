/** Packages that the config no longer names: they are retired, unless that looks like a slip. */
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../lib/errors.ts';
import { escapeControls, formatCount, pluralize } from '../lib/format.ts';
import type { FormatCommand } from '../lib/shell-command.ts';
import { readLiveFile } from '../database/connection.ts';
import { hasAccount } from '../warehouse/accounts.ts';
import { listActivePackages, type ActivePackage } from '../warehouse/statements/package.ts';

/** Up to this number, packages may leave at once if their account keeps most of its videos. */
const FEW_PACKAGES = 3;
/** Up to this number, videos are not most of an account. */
const FEW_VIDEOS = 20;
/** How many packages a message names. */
const MAX_NAMED = 10;

export interface Leaving {
  packages: readonly ActivePackage[];
  /** What looks like a slip; null: these packages may be retired. */
  doubt: string | null;
  /** The accounts that the config has under no name: neither as `name` nor as `was`. */
  lostAccounts: readonly string[];
}

/** `active`: the packages of the live file that are not retired. */
export function findLeaving(
  active: readonly ActivePackage[],
  { accounts, walk }: Pick<Config, 'accounts' | 'walk'>,
): Leaving {
  const configured = new Set(
    accounts.flatMap(({ name, packages }) => packages.map(({ id }) => `${name}/${id}`)),
  );
  const renamed = new Map(accounts.map(({ name, was }) => [was, name]));
  const stays = ({ account, packageId }: ActivePackage) =>
    configured.has(`${renamed.get(account) ?? account}/${packageId}`);
  const packages = active.filter((each) => !stays(each));
  const names = new Set(accounts.map(({ name }) => name));
  const before = countByAccount(active);
  const gone = countByAccount(packages);
  const isMany = (left: number, all: number) => left > FEW_PACKAGES && left > all * walk.removalBrake;
  const doubts = [...gone].flatMap(([account, left]) => {
    const all = before.get(account) ?? left;
    if (left.packages === all.packages)
      return names.has(account) ? `all packages of ${account}` : `the account ${account}`;
    const share = `${left.packages} of ${pluralize(all.packages, 'package')} of ${account}`;
    const isMost = left.videos > FEW_VIDEOS && left.videos > all.videos / 2;
    if (isMost) return `${share}, with ${formatCount(left.videos)} of its ${pluralize(all.videos, 'video')}`;
    return isMany(left.packages, all.packages) ? share : [];
  });
  if (doubts.length === 0 && isMany(packages.length, active.length))
    doubts.push(`${packages.length} of ${pluralize(active.length, 'package')}`);
  const lostAccounts = [...gone.keys()].filter((account) => !names.has(account) && !renamed.has(account));
  return { packages, doubt: doubts.length === 0 ? null : doubts.join(', '), lostAccounts };
}

type Counts = { packages: number; videos: number };

function countByAccount(packages: readonly ActivePackage[]): Map<string, Counts> {
  const counts = new Map<string, Counts>();
  for (const { account, videos } of packages) {
    const before = counts.get(account) ?? { packages: 0, videos: 0 };
    counts.set(account, { packages: before.packages + 1, videos: before.videos + videos });
  }
  return counts;
}

/** A line for each package that leaves, `left the config: main/101 Lectures, 4,997 videos`. */
export function leavingLines({ packages }: Leaving): string[] {
  const lines = packages.slice(0, MAX_NAMED).map(({ account, packageId, name, videos }) => {
    const named = name === null ? '' : ` ${escapeControls(name)}`;
    return `left the config: ${account}/${packageId}${named}, ${pluralize(videos, 'video')}`;
  });
  const more = packages.length - lines.length;
  return more === 0 ? lines : [...lines, `left the config: ${pluralize(more, 'more package')}`];
}

/** What the next run would do with the packages that left. */
export interface LeavingReport {
  /** What the run would rename, retire or refuse, and the accounts without packages. */
  warnings: readonly string[];
  /** Why `sync` and `start` refuse the config, and what to do; null: they do not. */
  refusal: { reason: string; hint: string } | null;
}

/** For commands that change nothing. Throws WarehouseError where the file cannot be read. */
export function reportLeaving(config: Config, formatCommand: FormatCommand): LeavingReport {
  const { active, renamed } = readFollowed(config);
  const leaving = findLeaving(active, config);
  const reason = `the config no longer names ${leaving.doubt ?? ''}`;
  const empty = config.accounts.filter(({ packages }) => packages.length === 0);
  const warnings = [
    ...renamed.map(({ name, was }) => `the next run renames account ${was} to ${name}`),
    ...leavingLines(leaving),
    ...(leaving.doubt === null ? [] : [`sync and start refuse this: ${reason}`]),
    ...empty.map(({ name }) => `account ${name} has no packages`),
  ];
  const refusal = leaving.doubt === null ? null : { reason, hint: retirementHint(leaving, formatCommand) };
  return { warnings, refusal };
}

/**
 * What the live file follows, and the accounts whose rows still have their old name. Throws WarehouseError
 * where it cannot be read.
 */
function readFollowed({ warehouse, accounts }: Config) {
  if (!existsSync(warehouse)) return { active: [], renamed: [] };
  return readLiveFile(warehouse, (db) => ({
    active: listActivePackages(db),
    renamed: accounts.filter(({ was }) => was !== null && hasAccount(db, was)),
  }));
}

/** Throws ConfigError if what leaves looks like a slip. */
export function assertMayRetire(leaving: Leaving, formatCommand: FormatCommand): void {
  if (leaving.doubt === null) return;
  const lines = [
    `the config no longer names ${leaving.doubt}; nothing was sent or changed`,
    ...leavingLines(leaving),
  ];
  throw new ConfigError(lines.join('\n  '), { hint: retirementHint(leaving, formatCommand) });
}

function retirementHint({ lostAccounts: [lost] }: Leaving, formatCommand: FormatCommand): string {
  const rename =
    lost === undefined ? '' : `. For an account with a new name: \`was: ${lost}\` below its \`name\``;
  const command = formatCommand('sync --accept-retirements');
  return `put them back into the config, or retire them (their rows stay): ${command}${rename}`;
}
