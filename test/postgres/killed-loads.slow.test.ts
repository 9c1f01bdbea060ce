import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadTarget } from '../../src/publishing/targets/load-target.ts';
import { digestTarget, findHalfStates, type TargetDigest } from '../support/fixtures/target-digest.ts';
import { listLoadChains } from '../support/fixtures/load-chains.ts';
import { createTwoAccounts, TWO_ACCOUNTS } from '../support/models/two-accounts.ts';
import { createLoadRequest, loadInProcess, startLoadProcesses } from '../support/processes/load-process.ts';
import { rounds } from '../support/rounds.ts';
import {
  startPostgresProxy,
  type Passed,
  type PostgresProxy,
  type ProtocolStep,
  type Trap,
} from '../support/servers/postgres-proxy.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

vi.setConfig({ testTimeout: 300_000 });

/** A load from one state of a target to another. */
interface Transition {
  name: string;
  /** The database that has the state before. */
  template: string;
  before: TargetDigest;
  after: TargetDigest;
  /** The database that has the state after. */
  loaded: string;
  file: string;
  steps: readonly ProtocolStep[];
}

/** Random kills: states of the two accounts, and kills in each of their loads. */
const STATES = rounds(10);
const KILLS_EACH = 3;

/** Of each step but COMMIT only each third one is stopped at, another one in each run; `VODHOUSE_FULL=1`: at all of them. */
const EVERY = process.env['VODHOUSE_FULL'] === '1' ? 1 : 3;
const OFFSET = Math.floor(Math.random() * EVERY);

/** Loads into a database, and stops at a step. */
type Stop = (database: string, trap: Trap, context: string) => Promise<void>;

/** The connections of a load of two accounts: the second one makes the same steps as the first. */
const OF = { schema: [1], firstAccount: [2, 3], runs: [6, 7] };

const DAMAGE = `UPDATE vodhouse.vodhouse_account SET status = 'unverified'; DELETE FROM vodhouse.video_history;
UPDATE vodhouse.videos SET title = 'damaged' WHERE video_id < 5`;

type Transitions = Record<'empty' | 'first' | 'changes' | 'reload' | 'runs', Transition>;

/** Leaves the schema and the claims. */
const EMPTY_AGAIN = `SET session_replication_role = replica; CREATE TABLE claims AS SELECT * FROM vodhouse.vodhouse_account;
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'vodhouse' AND tablename <> 'vodhouse_schema' LOOP
    EXECUTE format('TRUNCATE vodhouse.%I RESTART IDENTITY', name);
  END LOOP;
END $$;
INSERT INTO vodhouse.vodhouse_account (account, warehouse_id, epoch, worker, instance, lease_until)
  SELECT account, warehouse_id, epoch, worker, instance, lease_until FROM claims; DROP TABLE claims`;

describe.skipIf(findPostgres() === null)('a load that is stopped', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  const urlOf = (name: string, port = server.port) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  let databases = 0;
  const copyDatabase = async (template: string) => {
    const name = `copy_${++databases}`;
    await server.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`);
    return name;
  };
  const run = (database: string, sql: string) => server.query(sql, urlOf(database));

  /** Loads the file into a copy of a database without disturbance, and notes both states. */
  async function describeTransition(
    name: string,
    template: string,
    file: string,
    proxy: PostgresProxy,
    outcomes = ['loaded', 'loaded', 'loaded'],
  ): Promise<Transition> {
    const copy = await copyDatabase(template);
    const before = await digestTarget(server, urlOf(copy));
    proxy.arm(null);
    const results = await loadTarget(createLoadRequest(urlOf(copy, proxy.port), file));
    expect(results.map(({ outcome }) => outcome)).toEqual(outcomes);
    const steps = proxy.steps();
    return {
      name,
      template,
      before,
      after: await digestTarget(server, urlOf(copy)),
      loaded: copy,
      file,
      steps,
    };
  }

  /** Of an empty database, a first load, a load of changes, and one that loads everything again. */
  async function listTransitions(proxy: PostgresProxy): Promise<Transitions> {
    const accounts = createTwoAccounts();
    await accounts.change();
    const one = await accounts.publish();
    await accounts.change();
    const two = await accounts.publish();
    const empty = await describeTransition('empty', 'template0', one, proxy);
    const claimed = await copyDatabase(empty.loaded);
    await run(claimed, EMPTY_AGAIN);
    const first = await describeTransition('first', claimed, one, proxy);
    expect(first.after).toEqual(empty.after);
    const changes = await describeTransition('changes', first.loaded, two, proxy);
    const damaged = await copyDatabase(first.loaded);
    await run(damaged, DAMAGE);
    const reload = await describeTransition('reload', damaged, two, proxy);
    const accountsOnly = await copyDatabase(first.loaded);
    const lastBegin = changes.steps.findLastIndex(({ name }) => name === 'BEGIN') + 1;
    proxy.arm({ step: lastBegin, passed: 'nothing' });
    await loadTarget(createLoadRequest(urlOf(accountsOnly, proxy.port), two));
    const runs = await describeTransition('runs', accountsOnly, two, proxy, [
      'unchanged',
      'unchanged',
      'loaded',
    ]);
    return { empty, first, changes, reload, runs };
  }

  /** Stops a load at each of the steps, or at each third one. Returns how often. */
  async function stopAtEach(
    transition: Transition,
    connections: readonly number[],
    stop: Stop,
    each = EVERY,
  ): Promise<number> {
    const { name, template, before, after, file, steps } = transition;
    let database: string | null = null;
    let count = 0;
    let kept = 0;
    for (const [index, { connection, name: stepName }] of steps.entries()) {
      const every = connection === OF.schema[0] ? 3 * each : each; // the schema is made in one transaction
      const isSkipped = (index + OFFSET) % every > 0 && stepName !== 'COMMIT';
      if (!connections.includes(connection) || isSkipped) continue;
      const all = ['nothing', 'half', 'all'] as const;
      for (const passed of stepName === 'COMMIT' ? all : ([all[(index % 2) * 2]] as Passed[])) {
        database ??= await copyDatabase(template);
        const context = `${name}: stopped at step ${index + 1}, ${stepName}, of which ${passed} reached the server`;
        count++;
        await stop(database, { step: index + 1, passed }, context);
        const found = await digestTarget(server, urlOf(database));
        expect({ context, halves: findHalfStates(found, before, after) }).toEqual({ context, halves: [] });
        const isAsBefore = JSON.stringify(found) === JSON.stringify(before);
        if (isAsBefore && ++kept % 10 > 0) continue; // the next one begins where this one did
        await loadTarget(createLoadRequest(urlOf(database), file));
        expect({ context, ...(await digestTarget(server, urlOf(database))) }).toEqual({ context, ...after });
        await server.query(`DROP DATABASE "${database}" WITH (FORCE)`);
        database = null;
      }
    }
    return count;
  }

  it('by SIGKILL at any step of the protocol leaves the state before or that after, and the next one completes it', async () => {
    const [proxy, other] = [await startPostgresProxy(server.port), await startPostgresProxy(server.port)];
    const { empty, first, changes, reload, runs } = await listTransitions(proxy);
    const processes = startLoadProcesses(2);
    const kill = (transition: Transition, connections: readonly number[], by: PostgresProxy) =>
      stopAtEach(transition, connections, async (database, trap, context) => {
        const child = processes.take();
        by.arm({ ...trap, onReached: () => child.kill('SIGKILL') });
        const answer = await loadInProcess(
          child,
          createLoadRequest(urlOf(database, by.port), transition.file),
        );
        expect({ context, answer }).toEqual({ context, answer: null });
      });
    const kills = await Promise.all([
      kill(empty, OF.schema, proxy).then(
        async (count) => count + (await kill(changes, OF.firstAccount, proxy)),
      ),
      kill(first, OF.firstAccount, other)
        .then(async (count) => count + (await kill(reload, OF.firstAccount, other)))
        .then(async (count) => count + (await kill(runs, OF.runs, other))),
    ]);
    expect(kills[0] + kills[1]).toBeGreaterThan(200 / EVERY);
  });

  it('by a lost connection, also after COMMIT was sent and before its answer, is reported and tried again later', async () => {
    const proxy = await startPostgresProxy(server.port);
    const { changes, runs } = await listTransitions(proxy);
    const cut = (transition: Transition, connections: readonly number[], each = EVERY) =>
      stopAtEach(
        transition,
        connections,
        async (database, trap, context) => {
          proxy.arm(trap);
          const results = await loadTarget(createLoadRequest(urlOf(database, proxy.port), transition.file));
          const failed = results.filter(({ outcome }) => outcome === 'failed');
          const [lost = null] = failed.map(({ error, retry }) => ({ error, retry }));
          const expected = { error: `the connection to 127.0.0.1:${proxy.port} was lost`, retry: 'backoff' };
          const isGoodbye = transition.steps[trap.step - 1]?.name === 'goodbye';
          expect({ context, lost }).toEqual({ context, lost: isGoodbye ? null : expected });
          expect({ context, count: failed.length }).toEqual({ context, count: isGoodbye ? 0 : 1 });
        },
        each,
      );
    expect(await cut(changes, [...OF.schema, ...OF.firstAccount])).toBeGreaterThan(50 / EVERY);
    expect(await cut(runs, OF.runs.slice(1), 1)).toBeGreaterThan(1);
  });

  it('by SIGKILL at random moments is counted once: the log of the loads has no gap and nothing twice', async () => {
    const [disturbed, undisturbed] = [await copyDatabase('template0'), await copyDatabase('template0')];
    const accounts = createTwoAccounts();
    const processes = startLoadProcesses(2);
    const load = (database: string, file: string) => loadTarget(createLoadRequest(urlOf(database), file));
    let before = await digestTarget(server, urlOf(disturbed));
    let tookMs = 1000;
    let killed = 0;
    for (let state = 1; state <= STATES; state++) {
      await accounts.change();
      const file = await accounts.publish();
      const startedAt = performance.now();
      await load(undisturbed, file);
      tookMs = (tookMs + performance.now() - startedAt) / 2;
      const after = await digestTarget(server, urlOf(undisturbed));
      for (let kill = 1; kill <= KILLS_EACH; kill++) {
        const child = processes.take();
        const answer = loadInProcess(child, createLoadRequest(urlOf(disturbed), file));
        await Promise.race([setTimeout(Math.random() * tookMs * 2), answer]);
        child.kill('SIGKILL');
        if ((await answer) === null) killed++;
        const halves = findHalfStates(await digestTarget(server, urlOf(disturbed)), before, after);
        expect({ state, kill, halves }).toEqual({ state, kill, halves: [] });
      }
      await load(disturbed, file);
      before = await digestTarget(server, urlOf(disturbed));
      expect({ state, ...before }).toEqual({ state, ...after });
    }
    expect(killed).toBeGreaterThan(STATES);
    const chains = await listLoadChains(server, urlOf(disturbed));
    const whole = { loads: STATES, rows: expect.any(Number) as number, gaps: 0, is_current: true };
    expect(chains).toEqual(TWO_ACCOUNTS.map((account) => ({ account, ...whole })));
  });
});
