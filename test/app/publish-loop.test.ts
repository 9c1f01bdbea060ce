import { rmSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createPublishLoop } from '../../src/app/publish-loop.ts';
import { createPublisher, type Publication } from '../../src/publishing/publisher.ts';
import { publishedFact } from '../../src/publishing/about-rows.ts';
import { liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { createPublishRequest } from '../support/fixtures/published-file.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { toTimestamp } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { listTargetLoads, deleteTargetLoadsExcept } from '../../src/warehouse/statements/target-loads.ts';
import { transact } from '../../src/database/transaction.ts';

vi.setConfig({ testTimeout: 30_000 });

const clock = createVirtualClock('2026-03-10T03:00:00Z');

function open(everyMs: number) {
  const target = { ...createPublishRequest(liveFileWith(packageRow(101), videoRow(1))), everyMs };
  const completed: Publication[] = [];
  const log: string[] = [];
  const logger = createLogger({
    level: 'info',
    format: 'text',
    secrets: [],
    write: (line) => log.push(line),
  });
  const publisher = createPublisher(target);
  const warehouse = openWarehouse(target.live, clock);
  onTestFinished(() => warehouse.close());
  const publications = createPublishLoop({
    publisher,
    warehouse,
    clock,
    logger,
    onPublished: (each) => completed.push(each),
  });
  return { target, completed, log, publications, warehouse };
}

it('publishes a deferred change as soon as the config allows it, without another run', async () => {
  const { target, completed, publications } = open(3_600_000);
  publications.requestPublish();
  await expect.poll(() => completed.length, { timeout: 20_000 }).toBe(1);
  clock.advance(60_000);
  execute(target.live, "update package set name = 'Other'");
  publications.requestPublish();
  for (let minute = 2; minute <= 60; minute++) {
    clock.advance(60_000);
    publications.check();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => completed.length, { timeout: 20_000 }).toBe(2);
  expect(publishedFact(target.file, 'published_at')).toBe('2026-03-10 04:00:00');
  await publications.close();
});

it('reports why it cannot publish where another file is at the path', async () => {
  const { target, completed, log, publications } = open(0);
  writeFileSync(target.file, 'my own notes');
  publications.requestPublish();
  await expect.poll(() => log.join('')).toContain('publishing failed: publish.file: ');
  expect(log.join('')).toContain('vodhouse did not publish it');
  expect(completed).toEqual([]);
  await publications.close();
});

it('notes in the live file since when and why publications fail, until one works', async () => {
  const { target, publications, warehouse } = open(0);
  const notes = () => listTargetLoads(warehouse.db);
  const error = expect.stringContaining(target.file) as string;
  const since = toTimestamp(clock.now());
  writeFileSync(target.file, 'not a published file');
  publications.requestPublish();
  await expect.poll(notes, { timeout: 20_000 }).toMatchObject([{ failing_since: since, error, failures: 1 }]);
  clock.advance(60_000);
  publications.requestPublish();
  await expect.poll(notes, { timeout: 20_000 }).toMatchObject([{ failing_since: since, error, failures: 2 }]);
  expect(transact(warehouse.db, (tx) => deleteTargetLoadsExcept(tx, []))).toBe(0);
  rmSync(target.file);
  publications.requestPublish();
  await expect.poll(notes, { timeout: 20_000 }).toEqual([]);
  await publications.close();
});
