import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { START } from '../support/fixtures/open-pipeline.ts';
import { startTestWorker } from '../support/fixtures/test-worker.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { readHealth } from '../support/fixtures/health-report.ts';

/**
 * A worker whose packages are in a CSV file; `tick` passes an hour, and waits for the run that is due then.
 */
async function startWorker(csv: string) {
  const clock = createVirtualClock(START);
  const { url } = await startSandbox({ clock });
  const yaml = `timezone: Asia/Seoul
warehouse: vodhouse.db
accounts:
  - name: main
    video_list: { base_url: "${url}", key: sandbox-key }
    packages: { file: packages.csv }
`;
  const folder = createFolder({ 'vodhouse.yaml': yaml, 'packages.csv': csv });
  const config = loadConfig(join(folder, 'vodhouse.yaml'), {});
  const worker = startTestWorker(config, clock);
  await worker.settled;
  return {
    write: (text: string) => writeFileSync(join(folder, 'packages.csv'), text),
    remove: () => rmSync(join(folder, 'packages.csv')),
    tick: async () => {
      const before = worker.runs.length;
      clock.advance(3_600_000);
      await worker.tick();
      await expect.poll(() => worker.runs.length).toBe(before + 1);
    },
    active: () =>
      readRows(
        config.warehouse,
        'select package_id as id from package where retired_at is null order by 1',
      ).map(({ id }) => id),
    logged: worker.logged,
    problems: () => {
      const { problems } = readHealth({ config, file: config.warehouse, clock });
      return problems.filter(({ of }) => of.kind === 'config').flatMap(({ details }) => details);
    },
  };
}

describe('a worker whose packages are in a CSV file', () => {
  it('reads it again at each run', async () => {
    const worker = await startWorker('101\n102\n');
    worker.write('101\n103,New\n');
    await worker.tick();
    expect(worker.active()).toEqual([101, 103]);
    expect(worker.logged('packages_changed')).toHaveLength(1);
    expect(worker.logged('package_leaves')).toHaveLength(1);
    expect(worker.problems()).toEqual([]);
  });

  it('continues with the packages it had while the file cannot be used, says so once, and takes it afterwards', async () => {
    const worker = await startWorker('101\n102\n');
    worker.write('101\n10');
    worker.remove();
    await worker.tick();
    await worker.tick();
    expect(worker.active()).toEqual([101, 102]);
    expect(worker.logged('packages_refused')).toHaveLength(1);
    expect(worker.problems()).toEqual([
      expect.stringMatching(/^account main: packages\.csv cannot be read: ENOENT: no such file or directory/),
    ]);
    worker.write('101\n102\n103\n');
    await worker.tick();
    expect(worker.active()).toEqual([101, 102, 103]);
    expect(worker.problems()).toEqual([]);
  });

  it.each([
    ['lost most of its packages', '101\n', '5 of 6 packages of main'],
    ['has others only', '7\n8\n', 'all packages of main'],
  ])('refuses a file that %s', async (_what, csv, doubt) => {
    const worker = await startWorker('101\n102\n103\n104\n105\n106\n');
    worker.write(csv);
    await worker.tick();
    expect(worker.active()).toHaveLength(6);
    expect(worker.problems()).toEqual([`the config no longer names ${doubt}`]);
    expect(worker.logged('packages_refused')[0]).toContain('sync --accept-retirements');
  });
});
