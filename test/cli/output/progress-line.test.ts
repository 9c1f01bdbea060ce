import { describe, expect, it, onTestFinished } from 'vitest';
import { createProgressLine } from '../../../src/cli/output/progress-line.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';
import { openTestPipeline, START } from '../../support/fixtures/open-pipeline.ts';
import { listPage, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';
import { createTerminalScreen } from '../../support/processes/terminal-screen.ts';
import { createGate, startScriptedService } from '../../support/servers/scripted-service.ts';

const records = Array.from({ length: 15 }, (_, index) => videoRecord(index + 1));

/** A sync of packages of three pages, two at a time, whose progress is on a screen. `hold` keeps one page until its gate opens. */
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
  const bars = createProgressLine(clock, screen as unknown as NodeJS.WriteStream);
  onTestFinished(() => bars.close());
  const pipeline = openTestPipeline({ url, packages, concurrency: 2, progress: bars, silent: true });
  const hold = (page: string) => {
    const gate = createGate();
    gates.set(page, gate);
    return gate;
  };
  return { clock, screen, bars, pipeline, hold, shown: () => screen.lines().join('\n') };
}

describe('a terminal', () => {
  it('shows one line that counts packages, requests and videos, and nothing at the end', async () => {
    const { clock, screen, bars, pipeline, hold, shown } = await startSync([101, 102, 103]);
    const [first, end] = [hold('101 page 1'), hold('102 page 1')];
    const done = pipeline.run();
    await expect.poll(shown).toMatch(/^\[[#-░]{20}\] 0\/3 packages {2}\d requests? /);
    clock.advance(2_000);
    first.open();
    await expect.poll(shown).toMatch(/ 2\/3 packages {2}\d+ requests {2}\d+ videos {2}\d.*s left/);
    expect(screen.lines()).toHaveLength(1);
    end.open();
    await done;
    bars.announce('publishing …');
    expect(screen.lines()).toEqual(['publishing …']);
    bars.close();
    expect(screen.lines()).toEqual([]);
  });

  it('keeps the lines of the log above it, each of them at the end', async () => {
    const { screen, bars, pipeline, hold, shown } = await startSync([101]);
    const gate = hold('101 page 1');
    const done = pipeline.run();
    await expect.poll(shown).toContain('0/1 packages');
    bars.line('WARN: one\n');
    bars.line('WARN: two\n');
    expect(screen.lines().slice(0, 2)).toEqual(['WARN: one', 'WARN: two']);
    expect(screen.lines()).toHaveLength(3);
    gate.open();
    await done;
    bars.close();
    bars.line('after it\n');
    expect(screen.lines()).toEqual(['WARN: one', 'WARN: two', 'after it']);
  });
});
