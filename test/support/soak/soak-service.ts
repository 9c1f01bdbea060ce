/**
 * The sandbox over real HTTP, with an outage every night, a clock that advances while it answers, and a
 * count of its requests. Moments in milliseconds since 1970.
 */
import { fastify, type FastifyReply } from 'fastify';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { createKeyAuth, allowAll } from '../../../src/service/server/api-keys.ts';
import { addServiceRoutes } from '../../../src/service/server/routes.ts';
import type { VirtualClock } from '../clocks/virtual-clock.ts';

const PAGE_SIZE_MAX = 200;
/** The duration of a request and its response; the clock does not advance otherwise in that time. */
const THERE_MS = 20;
const BACK_MS = 40;
/** A video changes after every n-th request, between two pages of a walk. */
const CHANGE_EVERY = 300;

/**
 * The first outage begins around midnight of the service's calendar, when the previous day is due for
 * booking; each later one later.
 */
const FIRST_BEGINS_MS = 22 * HOUR_MS;
const LATER_EACH_NIGHT_MS = 17 * MINUTE_MS;
const SPREAD_MS = 150 * MINUTE_MS;
/** The `Retry-After` of a night of 429. */
const TOO_MANY_MS = 15 * MINUTE_MS;
/** 503 without a time; a closed connection; 429 with a time; 503 that names the end of the outage. */
const KINDS = ['unavailable', 'drop', 'too many', 'announced'] as const;

export interface Outage {
  kind: (typeof KINDS)[number];
  from: number;
  /** The first moment after it. */
  to: number;
  /** End of the last pause that the service may have demanded. */
  pausedUntil: number;
}

/**
 * One outage a night (UTC), from the night of `start` on; `seed` shifts the order of their kinds and their
 * times.
 */
export function outagesFrom(start: number, nights: number, seed: number): Outage[] {
  const midnight = Math.floor(start / DAY_MS) * DAY_MS;
  return Array.from({ length: nights }, (_, night) => {
    const kind = KINDS[(night + seed) % KINDS.length] ?? 'drop';
    const later = ((night + seed) * LATER_EACH_NIGHT_MS) % SPREAD_MS;
    const from = midnight + night * DAY_MS + FIRST_BEGINS_MS + later;
    const to = from + HOUR_MS;
    return { kind, from, to, pausedUntil: kind === 'too many' ? to + TOO_MANY_MS : to };
  });
}

/** The outage that may explain something between the two moments; undefined if there is none. */
export const outageWithin = (outages: readonly Outage[], from: number, to: number): Outage | undefined =>
  outages.find((outage) => outage.from <= to && from <= outage.pausedUntil);

export interface SoakServiceOptions {
  clock: VirtualClock;
  packages: NonNullable<SandboxOptions['packages']>;
  timezone: string;
  outages: readonly Outage[];
  seed: number;
}

export type SoakService = Awaited<ReturnType<typeof startSoakService>>;

export async function startSoakService({ clock, outages, ...account }: SoakServiceOptions) {
  const sandbox = createSandbox({ clock, ...account });
  /** The number of requests, and of those with each fault. */
  const seen = {
    arrivals: 0,
    faults: {} as Record<string, number>,
  };
  let isStill = false;

  function arrive(): number {
    clock.advance(THERE_MS);
    const number = ++seen.arrivals;
    if (!isStill && number % CHANGE_EVERY === 0) sandbox.churn(1);
    return clock.now();
  }

  const count = (fault: string) => void (seen.faults[fault] = (seen.faults[fault] ?? 0) + 1);

  async function fail(reply: FastifyReply, { kind, to }: Outage, arrivedAt: number): Promise<void> {
    if (kind === 'drop') {
      count('dropped');
      reply.hijack();
      reply.raw.destroy();
      return;
    }
    const status = kind === 'too many' ? 429 : 503;
    const waitMs = { unavailable: null, 'too many': TOO_MANY_MS, announced: to - arrivedAt }[kind];
    count(waitMs === null ? `${status}` : `${status} with a time`);
    if (waitMs !== null) {
      const seconds = Math.ceil(waitMs / 1000);
      reply.header('retry-after', String(seconds));
    }
    await reply.code(status).send('not now');
  }

  const app = fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async (_request, reply) => {
    const arrivedAt = arrive();
    const outage = outages.find(({ from, to }) => from <= arrivedAt && arrivedAt < to);
    clock.advance(BACK_MS);
    if (outage) await fail(reply, outage, arrivedAt);
  });
  addServiceRoutes(app, {
    catalogue: sandbox.catalogue,
    authorize: { videos: createKeyAuth([sandbox.key], ['query']), storage: allowAll },
    now: () => clock.now(),
    defaultPageSize: PAGE_SIZE_MAX,
    maxPageSize: PAGE_SIZE_MAX,
  });
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    sandbox,
    seen,
    /** Stops all changes of the account. */
    stopChanges: () => void (isStill = true),
    close: async () => app.close(),
  };
}
