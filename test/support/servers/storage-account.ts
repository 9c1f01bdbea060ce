/**
 * An account with storage statistics: a real pipeline over a real file and real HTTP, with a test clock and
 * a service whose responses the test sets.
 */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AccountConfig, Config, StorageConfig } from '../../../src/config/config.ts';
import { InterruptedError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import type { RunSummary } from '../../../src/sync/run.ts';
import { readRows, type Row } from '../fixtures/live-file.ts';
import { startScriptedService, type Reply, type SeenRequest } from './scripted-service.ts';
import { listPage, STORAGE, storageRecord } from '../fixtures/service-responses.ts';
import { createTestConfig } from '../fixtures/test-config.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { createVirtualClock, type VirtualClock } from '../clocks/virtual-clock.ts';
import { silentProgress } from '../../../src/sync/context.ts';
import { openPipeline, type Pipeline, type RunRequest } from '../../../src/app/pipeline.ts';

/** A storage request. */
export interface DayQuery {
  from: string;
  to: string;
  /** Every day of the range. */
  days: readonly string[];
  /** Counts from 1, over all storage requests. */
  number: number;
}

/** The records of the response, as values or as JSON text; or another reply. */
export type DayAnswer = readonly (Record<string, unknown> | string)[] | Reply;

export interface StorageAccountOptions {
  answer: (query: DayQuery) => DayAnswer;
  timezone?: string;
  rules?: Partial<StorageConfig>;
  limits?: Partial<AccountConfig['limits']>;
  /** Packages and the responses of the video list; none by default. */
  packages?: readonly number[];
  list?: (request: SeenRequest) => Reply;
  clock?: VirtualClock;
  folder?: string;
  /**
   * The service's time in milliseconds since 1970: the `Date` of the response to request `number`; null:
   * none.
   */
  date?: (number: number) => number | null;
  /** Every response has a `Date` equal to the clock; true by default. */
  isDated?: boolean;
  retention?: Config['retention'];
}

export interface StorageAccount {
  clock: VirtualClock;
  path: string;
  /** The requested ranges so far: `2026-03-01..2026-03-02`. */
  requestedRanges: string[];
  log: string[];
  /** Sets the clock, and starts a run of everything due, or as `request` selects. */
  runAt(moment: string | number, request?: Partial<RunRequest>): Promise<RunSummary>;
  pipeline: Pipeline;
  /** Stops the current run. */
  stop(): void;
  rows(query: string): Row[];
  /** Date, state and one figure of every stored day. */
  days(): [date: string, state: string, figure: number | null][];
  close(): Promise<void>;
}

/** A record for every requested day with the figure of `getFigure`; null omits the day. */
export function everyDay(getFigure: (date: string) => number | null) {
  return ({ days }: DayQuery): Record<string, unknown>[] =>
    days.flatMap((date) => {
      const figure = getFigure(date);
      return figure === null ? [] : [storageRecord(date, figure)];
    });
}

export async function openStorageAccount(options: StorageAccountOptions): Promise<StorageAccount> {
  const requestedRanges: string[] = [];
  const log: string[] = [];
  const clock = options.clock ?? createVirtualClock('2026-03-10T03:00Z');
  const date = options.date ?? (() => (options.isDated === false ? null : clock.now()));
  const replyTo = (request: SeenRequest): Reply => {
    if (request.path !== STORAGE) return options.list ? options.list(request) : listPage(request, []);
    const query = readDayQuery(request, requestedRanges.length + 1);
    requestedRanges.push(`${query.from}..${query.to}`);
    return toReply(options.answer(query));
  };
  const service = await startScriptedService((request) => addDate(replyTo(request), date(request.number)));
  const path = join(options.folder ?? temporaryFolder(), 'live.db');
  const write = (line: string) => void log.push(line);
  const logger = createLogger({ level: 'info', format: 'json', secrets: [], write });
  const { packages = [], timezone, rules: storage = {}, limits, retention } = options;
  const sizes = { pageSize: 10, concurrency: 2, removalBrake: 0.2 };
  const config = createTestConfig(
    { url: service.url, packages, timezone, storage, limits, retention, ...sizes },
    path,
  );
  const pipeline = openPipeline(config, { clock, logger, progress: silentProgress, command: 'test' });
  let controller = new AbortController();
  let closing: Promise<void> | null = null;
  const close = () => (closing ??= Promise.all([pipeline.close(), service.close()]).then(() => undefined));
  onTestFinished(close);
  return {
    clock,
    path,
    requestedRanges,
    log,
    runAt: (moment, request = {}) => {
      clock.set(moment);
      controller = new AbortController();
      return pipeline.run({ trigger: 'manual', signal: controller.signal, ...request });
    },
    pipeline,
    stop: () => controller.abort(new InterruptedError('stopped by the test')),
    rows: (query) => readRows(path, query),
    days: () =>
      readRows(path, 'select date, state, mov_org_cnt from storage_day order by date').map((row) => [
        String(row['date']),
        String(row['state']),
        row['mov_org_cnt'] as number | null,
      ]),
    close,
  };
}

function readDayQuery({ query }: SeenRequest, number: number): DayQuery {
  const from = query.get('sdate') ?? '';
  const to = query.get('edate') ?? '';
  const days: string[] = [];
  for (let day = Date.parse(from); day <= Date.parse(to); day += 24 * HOUR_MS) {
    days.push(new Date(day).toISOString().slice(0, 10));
  }
  return { from, to, days, number };
}

function addDate(reply: Reply, date: number | null): Reply {
  if (date === null || typeof reply === 'string' || 'drip' in reply) return reply;
  return { ...reply, headers: { date: new Date(date).toUTCString(), ...reply.headers } };
}

function isList(answer: DayAnswer): answer is readonly (Record<string, unknown> | string)[] {
  return Array.isArray(answer);
}

function toReply(answer: DayAnswer): Reply {
  if (!isList(answer)) return answer;
  const list = answer.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  return { body: `{"message":"success","data":{"list":[${list.join(',')}]}}` };
}
