import { describe, expect, it, onTestFinished } from 'vitest';
import { createProgressBars } from '../../../src/cli/output/progress-bars.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
import { openTestPipeline, START } from '../../support/fixtures/open-pipeline.ts';
import { listPage, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';
import { createTerminalScreen } from '../../support/processes/terminal-screen.ts';
import { createGate, startScriptedService } from '../../support/servers/scripted-service.ts';

const records = Array.from({ length: 15 }, (_, index) => videoRecord(index + 1));

/** A sync of packages of three pages, two at a time, whose bars are on a screen. `hold` keeps one page until its gate opens. */
async function startSync(packages: readonly number[]) {
  const gates = new Map<string, ReturnType<typeof createGate>>();
  const asked = new Set<string>();
  const { url } = await startScriptedService(
    serveEverything(async (request, id) => {
      const page = `${id} page ${request.query.get('page')}${asked.has(`${id}`) ? '' : ' first'}`;
      asked.add(`${id}`);
      await gates.get(page)?.opened;
      return listPage(request, records);
    }),
  );
  const clock = createVirtualClock(START);
  const screen = createTerminalScreen();
  const bars = createProgressBars(clock, screen as unknown as NodeJS.WriteStream);
  onTestFinished(() => bars.close());
  const pipeline = openTestPipeline({ url, packages, concurrency: 2, progress: bars, silent: true });
  const hold = (page: string) => {
    const gate = createGate();
    gates.set(page, gate);
    return gate;
  };
  return { clock, screen, bars, pipeline, hold, shown: () => screen.lines().join('\n') };
}

const ANY_BAR = String.raw`\[[#█░-]{20}\]`;
const barOf = (name: string, rest: string) => new RegExp(String.raw`^${name} ${ANY_BAR} ${rest}$`, 'm');

describe('a terminal', () => {
  it('shows one bar for all packages and below it the walks under way', async () => {
    const { clock, screen, bars, pipeline, hold, shown } = await startSync([101, 102, 103]);
    const [first, second, end] = [hold('101 page 1'), hold('102 page 2'), hold('102 page 1')];
    const done = pipeline.run();
    await expect.poll(shown).toMatch(barOf('  main/101', '2/3 pages'));
    await expect.poll(shown).toMatch(barOf('  main/102', '1/3 pages'));
    expect(screen.lines()).toHaveLength(3);
    expect(shown()).toMatch(barOf('all', String.raw`0/3 packages  \d requests`));

    clock.advance(2_000);
    second.open();
    await expect.poll(shown).toMatch(barOf('  main/102', String.raw`2/3 pages  5 records/s  1s left`));

    first.open();
    await expect.poll(shown).toMatch(barOf('all', String.raw`2/3 packages  \d+ requests  \d.*s left`));
    await expect.poll(() => screen.lines().length).toBe(2); // the walks of 101 and 103 have left
    expect(screen.lines()[1]).toMatch(barOf('  main/102', '2/3 pages .*'));
    end.open();
    await done;
    await expect.poll(shown).toMatch(barOf('all', String.raw`3/3 packages  \d+ requests`));
    expect(screen.lines()).toHaveLength(1);
    bars.step('publishing …');
    await expect.poll(shown).toMatch(barOf('all', '3/3 packages  publishing …'));
    bars.close();
    expect(screen.lines()).toEqual([]);
    expect(screen.cursor()).toEqual({ line: 0, column: 0, visible: true });
    expect(Math.max(...screen.states.map(({ length }) => length))).toBe(3);
  });

  it('shows no rate and no time left in the first second', async () => {
    const { screen, pipeline } = await startSync([101, 102]);
    await pipeline.run();
    const all = screen.states.flat().join('\n');
    expect(all).toContain('/2 packages');
    expect(all).not.toMatch(/records\/s|left/);
  });

  it('keeps the lines of the log above the bars, and each of them at the end', async () => {
    const { screen, bars, pipeline, hold, shown } = await startSync([101]);
    const gate = hold('101 page 1');
    const done = pipeline.run();
    await expect.poll(shown).toMatch(barOf('  main/101', '2/3 pages'));
    bars.line('WARN: one\n');
    bars.line('WARN: two\n');
    await expect.poll(() => screen.lines().length).toBe(4);
    expect(screen.lines().slice(0, 2)).toEqual(['WARN: one', 'WARN: two']);
    gate.open();
    await done;
    bars.line('ERROR: the last one\n');
    bars.close();
    expect(screen.lines()).toEqual(['WARN: one', 'WARN: two', 'ERROR: the last one']);
    expect(screen.cursor()).toEqual({ line: 3, column: 0, visible: true });
    bars.line('after it\n');
    expect(screen.lines().at(-1)).toBe('after it');
  });

  it('is clean after an interrupted run, and stays so', async () => {
    const { screen, bars, pipeline, hold, shown } = await startSync([101]);
    const gate = hold('101 page 2');
    const done = pipeline.run();
    await expect.poll(shown).toMatch(barOf('  main/101', '1/3 pages'));
    bars.line('stopping after the current page\n');
    pipeline.stop();
    gate.open();
    await done;
    bars.close();
    expect(screen.lines()).toEqual(['stopping after the current page']);
    expect(screen.cursor()).toEqual({ line: 1, column: 0, visible: true });
    const length = screen.states.length;
    await new Promise((resolve) => setTimeout(resolve, 300)); // two frames
    expect(screen.states).toHaveLength(length);
  });
});
