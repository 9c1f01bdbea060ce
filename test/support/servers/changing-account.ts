/** A simulated service of several packages behind one HTTP server: each changes only at its own requests. */
import { change, type Change, type Script } from '../models/list-changes.ts';
import type { ListedPackage, PageQuery, PageResult } from '../models/listed-package.ts';
import { startScriptedService, type Reply, type SeenRequest } from './scripted-service.ts';
import { VIDEO_LIST } from '../fixtures/service-responses.ts';
import { createTurns } from '../models/turns.ts';
import type { VirtualClock } from '../clocks/virtual-clock.ts';

/** A request of a package, and its result. */
export interface Exchange extends PageQuery, PageResult {
  at: number;
  changes: readonly Change[];
}

/** The events of a run. */
export interface Plan {
  /** By package id. */
  scripts: ReadonlyMap<number, Script>;
  concurrency: number;
  /** `strike` is called at the n-th request of one package, before its response. */
  disturbance: { packageId: number; request: number; strike: () => void } | null;
}

export interface ChangingAccount {
  packages: ReadonlyMap<number, ListedPackage>;
  /** The requests of a package since the start of the run. */
  seen(packageId: number): readonly Exchange[];
  beginRun(plan: Plan): void;
  walkEnded(packageId: number): void;
  /** The run is being stopped: no further walk sends requests. */
  stopStarting(): void;
  releaseAll(): void;
  reply(request: SeenRequest): Promise<Reply>;
}

/** The duration of a response. */
const ANSWER_MS = 1000;

interface State {
  plan: Plan;
  seen: Map<number, Exchange[]>;
}

/** The account of one case; `choose` selects the package of the n-th turn. */
export function createChangingAccount(
  listed: readonly ListedPackage[],
  clock: VirtualClock,
  choose: (n: number) => number,
): ChangingAccount {
  const packages = new Map(listed.map((each) => [each.id, each]));
  const turns = createTurns(choose);
  const state: State = { plan: { scripts: new Map(), concurrency: 1, disturbance: null }, seen: new Map() };
  return {
    packages,
    seen: (packageId) => state.seen.get(packageId) ?? [],
    beginRun: (plan) => {
      state.plan = plan;
      state.seen = new Map(listed.map(({ id }) => [id, []]));
      turns.begin(packages.size, plan.concurrency);
    },
    walkEnded: (packageId) => turns.ended(packageId),
    stopStarting: () => turns.stopStarting(),
    releaseAll: () => turns.releaseAll(),
    reply: async (request) => {
      const one = packages.get(Number(request.query.get('pkg')));
      if (!one || request.path !== VIDEO_LIST) return { status: 404 };
      await turns.take(one.id);
      return { body: serve(state, clock, one, readPageQuery(request)) };
    },
  };
}

function readPageQuery({ query }: SeenRequest): PageQuery {
  return {
    page: Number(query.get('page')),
    size: Number(query.get('pagesize')),
    isDescending: query.get('sort_direction') === 'desc',
  };
}

/** Advances the clock, applies the next changes, and then reads the page. */
function serve({ plan, seen }: State, clock: VirtualClock, one: ListedPackage, query: PageQuery): string {
  clock.advance(ANSWER_MS);
  const exchanges = seen.get(one.id) ?? [];
  const changes = plan.scripts.get(one.id)?.[exchanges.length] ?? [];
  change(one, changes, clock.now());
  const { body, result } = one.answer(query);
  exchanges.push({ ...query, ...result, at: clock.now(), changes });
  const { disturbance } = plan;
  if (disturbance?.packageId === one.id && disturbance.request === exchanges.length) disturbance.strike();
  return body;
}

/** One server for all cases of a test: each case sets its account. */
export interface AccountServer {
  url: string;
  show(account: ChangingAccount): void;
}

export async function startAccountServer(): Promise<AccountServer> {
  let shown: ChangingAccount | null = null;
  const service = await startScriptedService(async (request) => {
    service.requests.length = 0; // thousands of cases use this server
    return shown ? shown.reply(request) : { status: 404 };
  });
  return { url: service.url, show: (account) => void (shown = account) };
}
