import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openCommandContext } from '../../src/cli/command-context.ts';
import { publishResultText } from '../../src/cli/output/publication-text.ts';
import { publishAfterRun } from '../../src/cli/after-run.ts';
import { lockOrThrow } from '../../src/database/lock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createPublisher } from '../../src/publishing/publisher.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { execute } from '../support/fixtures/live-file.ts';
import { createPublishRequest } from '../support/fixtures/published-file.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';

vi.setConfig({ testTimeout: 30_000 });

const never = new AbortController().signal;

describe('publishing after a run', () => {
  it('announces a publication before it starts, and logs until when publish.every defers it', async () => {
    const target = {
      ...createPublishRequest(liveFileWith(packageRow(101), videoRow(1))),
      everyMs: 3_600_000,
    };
    const publisher = createPublisher(target);
    const warehouse = openWarehouse(target.live, systemClock);
    onTestFinished(() => warehouse.close());
    const written: string[] = [];
    const write = (line: string) => written.push(line);
    const logger = createLogger({ level: 'info', format: 'text', secrets: [], write });
    const clock = createVirtualClock('2026-03-10T03:00:00Z');
    const context = { clock, logger, announce: write, formatCommand: String };
    expect(await publishAfterRun({ publisher, warehouse }, context, never)).toMatchObject({
      rows: { videos: 1 },
    });
    expect(written).toEqual([`publishing ${target.file} …`]);
    expect(await publishAfterRun({ publisher, warehouse }, context, never)).toBeNull();
    execute(target.live, "update package set name = 'Other'");
    const deferred = await publishAfterRun({ publisher, warehouse }, context, never);
    expect([deferred, publishResultText(deferred, String)]).toEqual([null, '']);
    expect(written.slice(1).join('')).toContain('publishing is postponed until 2026-03-10 04:00:00 UTC');
  });
});

it('waits as long as another process publishes, and logs that once', async () => {
  const target = createPublishRequest(liveFileWith(packageRow(101), videoRow(1)));
  const publisher = createPublisher(target);
  const clock = createVirtualClock('2026-03-10T03:00:00Z');
  const warehouse = openWarehouse(target.live, clock);
  onTestFinished(() => warehouse.close());
  const other = lockOrThrow(target.live, 'publish', 'start', clock.now());
  const startedAt = clock.now();
  const sleep: typeof clock.sleep = async (ms, signal) => {
    await clock.sleep(ms, signal);
    if (clock.now() - startedAt > 10 * 60_000) other.release();
  };
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    format: 'text',
    secrets: [],
    write: (line) => void lines.push(line),
  });
  const context = { clock: { ...clock, sleep }, logger, announce: () => undefined, formatCommand: String };
  expect(await publishAfterRun({ publisher, warehouse }, context, never)).toMatchObject({
    rows: { videos: 1 },
  });
  expect(lines).toEqual([
    expect.stringContaining('waiting: the published file is being made: vodhouse start on '),
  ]);
  expect(clock.now() - startedAt).toBeGreaterThan(10 * 60_000);
});

describe('a command context', () => {
  it.each([
    [true, '\r\u001b[Kpublishing …\r\u001b[K'],
    [false, ''],
  ])('announces on a terminal only: %s', async (isTerminal, expected) => {
    const written: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const before = process.stderr.isTTY;
    process.stderr.isTTY = isTerminal;
    try {
      const options = { config: 'vodhouse.yaml', logLevel: 'info', logFormat: 'text' } as const;
      const context = openCommandContext('sync', options, []);
      context.announce('publishing …');
      context.close();
    } finally {
      process.stderr.isTTY = before;
      vi.restoreAllMocks();
    }
    expect(written.join('')).toBe(expected);
  });
});
