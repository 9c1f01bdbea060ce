import { dirname, resolve } from 'node:path';
import type {
  AccountConfig,
  Config,
  LimitsConfig,
  NotifyConfig,
  PublishConfig,
  StorageConfig,
  WalkConfig,
} from './config.ts';
import { parseDuration } from './duration.ts';
import type { Settings } from './schema.ts';

type AccountSettings = Settings['accounts'][number];

/** The checked settings of the file (an absolute path) as the config that the rest of vodhouse reads, frozen. */
export function toConfig(file: string, settings: Settings): Config {
  const { schedule, retention, server, notify } = settings;
  const accounts = settings.accounts.map(toAccount);
  return freeze({
    file,
    warehouse: resolve(dirname(file), settings.warehouse),
    timezone: settings.timezone,
    durationUnit: settings.duration_unit,
    accounts,
    schedule: { full: schedule.full, quick: schedule.quick ?? null },
    walk: toWalk(settings.walk),
    publish: settings.publish ? toPublish(file, settings.publish) : null,
    retention: { requestsDays: retention.requests_days, runsDays: retention.runs_days },
    server: server ?? null,
    notify: notify ? toNotify(notify) : null,
    secrets: secretsOf(accounts, [...(server?.keys ?? []), notify?.webhook, notify?.ping]),
  });
}

function toAccount(account: AccountSettings): AccountConfig {
  const { video_list: videoList, storage } = account;
  return {
    name: account.name,
    videoList: {
      baseUrl: withoutSlash(videoList.base_url),
      key: videoList.key,
      pageSize: videoList.page_size,
    },
    storage: storage ? toStorage(storage, videoList.key) : null,
    packages: account.packages.map((entry) =>
      typeof entry === 'number' ? { id: entry, name: null } : { id: entry.id, name: entry.name ?? null },
    ),
    limits: toLimits(account.limits),
  };
}

function toStorage(storage: NonNullable<AccountSettings['storage']>, accountKey: string): StorageConfig {
  return {
    baseUrl: withoutSlash(storage.base_url),
    auth: storage.auth,
    key: storage.key ?? accountKey,
    since: storage.since ?? null,
    settleMs: toMs(storage.settle),
    lookAgainDays: storage.look_again_days,
    giveUpDays: storage.give_up_days,
    optional: storage.optional,
    plausibleFactor: storage.plausible_factor,
  };
}

function toLimits(limits: AccountSettings['limits']): LimitsConfig {
  return {
    concurrency: limits.concurrency,
    perSecond: limits.per_second,
    perMinute: limits.per_minute,
    perDay: limits.per_day,
    maxWaitMs: toMs(limits.max_wait),
    restrictedCodes: limits.restricted_codes,
    finalCodes: limits.final_codes,
  };
}

function toWalk(walk: Settings['walk']): WalkConfig {
  return {
    removalBrake: walk.removal_brake,
    resumeWithinMs: toMs(walk.resume_within),
    boundaryReads: walk.boundary_reads,
  };
}

function toPublish(file: string, publish: NonNullable<Settings['publish']>): PublishConfig {
  return {
    file: resolve(dirname(file), publish.file),
    exclude: publish.exclude,
    everyMs: toMs(publish.every),
    keepDays: publish.keep_days,
  };
}

function toNotify({ webhook, ping, remind_after: after }: NonNullable<Settings['notify']>): NotifyConfig {
  const remindAfterMs = after === null ? null : toMs(after);
  return { webhook: webhook ?? null, ping: ping ?? null, remindAfterMs };
}

function secretsOf(accounts: readonly AccountConfig[], others: readonly (string | undefined)[]): string[] {
  const keys = accounts.flatMap(({ videoList, storage }) => [
    videoList.key,
    ...(storage ? [storage.key] : []),
  ]);
  return [...new Set([...keys, ...others.flatMap((other) => other ?? [])])];
}

function toMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new RangeError(`"${text}" is no duration: the schema must not let it through`);
  return ms;
}

function withoutSlash(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
}

function freeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value) as unknown[]) {
    if (typeof inner === 'object' && inner !== null) freeze(inner);
  }
  return Object.freeze(value);
}
