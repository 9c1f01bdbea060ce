/** An account with storage statistics: a pipeline over a service whose responses the test sets. */
import type { StorageConfig } from '../../../src/config/config.ts';
import type { RunRequest } from '../../../src/app/pipeline.ts';
import type { Row } from '../fixtures/live-file.ts';
import { openTestPipeline, type TestPipelineOptions } from '../fixtures/open-pipeline.ts';
import { listPage, STORAGE, storageRecord } from '../fixtures/service-responses.ts';
import { listDays } from '../../../src/lib/days.ts';
import { createVirtualClock } from '../clocks/virtual-clock.ts';
import { addDate, startScriptedService, type Reply, type SeenRequest } from './scripted-service.ts';

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

export interface StorageAccountOptions extends Omit<TestPipelineOptions, 'url' | 'storage'> {
  answer: (query: DayQuery) => DayAnswer;
  rules?: Partial<StorageConfig>;
  /** The responses of the video list. */
  list?: (request: SeenRequest) => Reply;
  /** The `Date` of the response to request `number`, in milliseconds since 1970; null: none. By default that of the clock. */
  date?: (number: number) => number | null;
  /** False: no response has a `Date`. */
  isDated?: boolean;
}

export type StorageAccount = Awaited<ReturnType<typeof openStorageAccount>>;

/** A record for every requested day with the figure of `getFigure`; null omits the day. */
export function everyDay(getFigure: (date: string) => number | null) {
  return ({ days }: DayQuery): Record<string, unknown>[] =>
    days.flatMap((date) => {
      const figure = getFigure(date);
      return figure === null ? [] : [storageRecord(date, figure)];
    });
}

export async function openStorageAccount({ answer, rules, list, ...options }: StorageAccountOptions) {
  const requestedRanges: string[] = [];
  const clock = options.clock ?? createVirtualClock('2026-03-10T03:00Z');
  const date = options.date ?? (() => (options.isDated === false ? null : clock.now()));
  const replyTo = (request: SeenRequest): Reply => {
    if (request.path !== STORAGE) return list ? list(request) : listPage(request, []);
    const query = readDayQuery(request, requestedRanges.length + 1);
    requestedRanges.push(`${query.from}..${query.to}`);
    return toReply(answer(query));
  };
  const service = await startScriptedService((request) => addDate(replyTo(request), date(request.number)));
  const sizes = { packages: [], pageSize: 10, concurrency: 2, removalBrake: 0.2 };
  const opened = openTestPipeline({ ...sizes, ...options, url: service.url, storage: rules ?? {}, clock });
  const rows = (sql: string) => opened.query<Row>(sql);
  return {
    ...opened,
    /** The requested ranges so far: `2026-03-01..2026-03-02`. */
    requestedRanges,
    /** Sets the clock, and starts a run of everything due, or as `request` selects. */
    runAt: (moment: string | number, request: Partial<RunRequest> = {}) => {
      clock.set(moment);
      return opened.run(request);
    },
    rows,
    /** Date, state and one figure of every stored day. */
    days: () =>
      rows('select date, state, mov_org_cnt from storage_day order by date').map(
        (row) => [String(row['date']), String(row['state']), row['mov_org_cnt'] as number | null] as const,
      ),
  };
}

function readDayQuery({ query }: SeenRequest, number: number): DayQuery {
  const from = query.get('sdate') ?? '';
  const to = query.get('edate') ?? '';
  return { from, to, days: listDays({ from, to }), number };
}

function isList(answer: DayAnswer): answer is readonly (Record<string, unknown> | string)[] {
  return Array.isArray(answer);
}

function toReply(answer: DayAnswer): Reply {
  if (!isList(answer)) return answer;
  const list = answer.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  return { body: `{"message":"success","data":{"list":[${list.join(',')}]}}` };
}
