import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseRows, readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';
import { join } from 'node:path';

vi.setConfig({ testTimeout: 60_000 });

const BOOKED = `select date from storage_day where state = 'booked' order by date desc limit 1`;

/** A folder whose newest booked day was booked with a figure that differs from the service. */
async function differingFolder(top = '') {
  const { url } = await startSandbox();
  const cwd = createFolder({ [CONFIG]: configText({ url, packages: [103], top }) });
  expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
  const date = String(readWarehouseValue(cwd, BOOKED));
  const live = join(cwd, WAREHOUSE);
  execute(
    live,
    `drop trigger storage_day_booked_update; update storage_day set image_count = 7 where date = '${date}'`,
  );
  return { cwd, date };
}

describe('correct', () => {
  it('prompts, stores the figures with --yes, publishes them, and status is healthy again', async () => {
    const { cwd, date } = await differingFolder('publish: {}');
    const again = await vodhouse(['sync', '--storage', '--from', date], { cwd });
    expect(again.code).toBe(0);
    const status = await vodhouse(['status'], { cwd });
    expect(status.code).toBe(3);
    expect(status.stdout).toContain(
      'storage of main: the service now reports other figures for 1 booked day',
    );
    expect(status.stdout).toContain(`vodhouse correct main ${date}`);

    const preview = await vodhouse(['correct', 'main', date], { cwd });
    expect(preview.code).toBe(2);
    expect(preview.stdout).toMatch(/^image_count +7 +[\d,]+$/m);
    expect(preview.stderr).toContain(`vodhouse correct main ${date} --yes`);
    expect(readWarehouseRows(cwd, 'select * from storage_correction')).toEqual([]);

    const done = await vodhouse(['correct', 'main', date, '--yes', '--reason', 'ticket 12'], { cwd });
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(new RegExp(`^corrected main ${date}: .*\\npublished `, 'm'));
    expect(readWarehouseRows(cwd, 'select date, reason from storage_correction')).toEqual([
      { date, reason: 'ticket 12' },
    ]);
    expect((await vodhouse(['status'], { cwd })).code).toBe(0);
    const none = await vodhouse(['correct', 'main', date, '--yes'], { cwd });
    expect([none.code, none.stdout]).toEqual([
      0,
      `the service reports the same figures of main ${date} as readers see: nothing to correct\n`,
    ]);
  });

  it('reports wrong arguments, and sends nothing', async () => {
    const { cwd, date } = await differingFolder();
    const requests = () => readWarehouseValue(cwd, 'select count(*) from request');
    const before = requests();
    for (const [parameters, message] of [
      [['mein', date], 'did you mean main?'],
      [['main', '2026-02-30'], '2026-02-30 is not a day'],
      [['main', '2020-01-01'], '2020-01-01 of account main is not booked'],
    ] as const) {
      const { code, stderr } = await vodhouse(['correct', ...parameters], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining(message) as string]);
    }
    expect(requests()).toBe(before);
  });
});

describe('sync --from --to', () => {
  it('requires --storage, a first day, and no future day', async () => {
    const { cwd } = await differingFolder();
    for (const [parameters, message] of [
      [['--from', '2026-01-01'], '--from and --to name days of the storage'],
      [['--storage', '--to', '2026-01-01'], '--to needs --from'],
      [['--storage', '--from', '2026-01-02', '--to', '2026-01-01'], 'is later than --to'],
      [['--storage', '--from', '2026-01-02', '--to', '2099-01-01'], '2099-01-01 is in the future'],
      [['--storage', '--from', 'monday'], 'expected a day, such as'],
    ] as const) {
      const { code, stderr } = await vodhouse(['sync', ...parameters], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining(message) as string]);
    }
  });
});

describe('an edit of timezone over booked days', () => {
  it('is rejected with the next steps, except for another name of the same zone', async () => {
    const { cwd } = await differingFolder();
    const config = configText({ url: 'http://127.0.0.1:9', packages: [103] });
    const edited = (timezone: string) =>
      createFolder({ [CONFIG]: config.replace('Asia/Seoul', timezone).replace('data/', `${cwd}/data/`) });
    for (const command of ['sync', 'start', 'check']) {
      const { code, stderr } = await vodhouse([command], { cwd: edited('America/New_York') });
      expect([command, code]).toEqual([command, 2]);
      expect(stderr).toContain(
        'timezone is America/New_York, but 1 day was booked by the calendar of Asia/Seoul',
      );
      expect(stderr).toContain('set `timezone: Asia/Seoul` again');
    }
    expect((await vodhouse(['sync'], { cwd: edited('ROK') })).code).not.toBe(2);
  });
});
