/** The sandbox over real HTTP, with outages, a clock that advances while it answers, and a record of every request. */
import { fastify, type FastifyReply } from 'fastify';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { createKeyAuth, allowAll } from '../../../src/service/server/api-keys.ts';
import { addServiceRoutes } from '../../../src/service/server/routes.ts';
import { faultAt, type Fault, type Outage } from './soak-outages.ts';
import type { VirtualClock } from '../clocks/virtual-clock.ts';

const PAGE_SIZE_MAX = 200;

/** The duration of a request and its response; the clock does not advance otherwise in that time. */
const THERE_MS = 20;
const BACK_MS = 40;

/** A video changes after every n-th request, between two pages of a walk. */
const CHANGE_EVERY = 300;

export interface SoakServiceOptions {
  clock: VirtualClock;
  packages: NonNullable<SandboxOptions['packages']>;
  timezone: string;
  outages: readonly Outage[];
  seed: number;
}

/** The arrivals at the service, by its own clock, in milliseconds since 1970. */
interface Seen {
  /** When each request arrived, rising. */
  arrivals: number[];
  /** Periods in which it allowed no requests, each from the response that announced it. */
  pauses: { from: number; to: number }[];
  /** The number of requests by fault. */
  faults: Record<string, number>;
}

export type SoakService = Awaited<ReturnType<typeof startSoakService>>;

export async function startSoakService({ clock, outages, ...account }: SoakServiceOptions) {
  const sandbox = createSandbox({ clock, ...account });
  const seen: Seen = { arrivals: [], pauses: [], faults: {} };
  let isStill = false;
  let awaited: { number: number; call: () => void } | null = null;

  function arrive(): number {
    clock.advance(THERE_MS);
    const number = seen.arrivals.push(clock.now());
    if (!isStill && number % CHANGE_EVERY === 0) sandbox.churn(1);
    if (awaited?.number === number) awaited.call();
    return clock.now();
  }

  const app = fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async (_request, reply) => {
    const fault = faultAt(outages, arrive());
    clock.advance(BACK_MS);
    if (fault) await fail(reply, fault, seen, clock.now());
  });
  const { catalogue, key } = sandbox;
  addServiceRoutes(app, {
    catalogue,
    authorize: { videos: createKeyAuth([key], ['query']), storage: allowAll },
    now: () => clock.now(),
    defaultPageSize: PAGE_SIZE_MAX,
    maxPageSize: PAGE_SIZE_MAX,
  });
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    sandbox,
    seen,
    /** Calls back when the n-th request from now arrives. */
    atArrival: (count: number, call: () => void) => {
      awaited = { number: seen.arrivals.length + count, call };
    },
    /** Stops all changes of the account. */
    stopChanges: () => void (isStill = true),
    close: async () => {
      await app.close();
    },
  };
}

async function fail(reply: FastifyReply, fault: Fault, { faults, pauses }: Seen, now: number): Promise<void> {
  if (fault === 'drop') {
    count(faults, 'dropped');
    reply.hijack();
    reply.raw.destroy();
    return;
  }
  const { status, waitMs } = fault;
  count(faults, waitMs === null ? `${status}` : `${status} with a time`);
  if (waitMs !== null) {
    const seconds = Math.ceil(waitMs / 1000);
    pauses.push({ from: now, to: now + seconds * 1000 });
    reply.header('retry-after', String(seconds));
  }
  await reply.code(status).send('not now');
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/**
 * The most moments that any sliding window of this length contains; a window includes its beginning and not
 * its end.
 */
export function mostWithin(moments: readonly number[], windowMs: number): number {
  let most = 0;
  let first = 0;
  for (const [index, moment] of moments.entries()) {
    while ((moments[first] ?? moment) <= moment - windowMs) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
