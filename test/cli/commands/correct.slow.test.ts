import { describe, expect, it, vi } from 'vitest';
import { commandFolder, NOWHERE, sandboxFolder } from '../../support/fixtures/command-folder.ts';
import { configText } from '../../support/fixtures/config-file.ts';

vi.setConfig({ testTimeout: 60_000 });

const BOOKED = `select date from storage_day where state = 'booked' order by date desc limit 1`;

/** A folder whose newest booked day was booked with a figure that differs from the service. */
async function differingFolder(top = '') {
  const folder = await sandboxFolder({ packages: [103], top });
  await folder.succeed('sync');
  const date = String(folder.value(BOOKED));
  folder.execute(
    `drop trigger storage_day_booked_update; update storage_day set image_count = 7 where date = '${date}'`,
  );
  return { ...folder, date };
}

describe('correct', () => {
  it('prompts, stores the figures with --yes, publishes them, and status is healthy again', async () => {
    const { run, succeed, rows, date } = await differingFolder('publish: {}');
    await succeed('sync', '--storage', '--from', date);
    const status = await run('status');
    expect(status.code).toBe(3);
    expect(status.stdout).toContain(`vodhouse correct main ${date}`);

    const preview = await run('correct', 'main', date);
    expect(preview.code).toBe(2);
    expect(preview.stdout).toMatch(/^image_count +7 +[\d,]+$/m);
    expect(preview.stderr).toContain(`vodhouse correct main ${date} --yes`);
    expect(rows('select * from storage_correction')).toEqual([]);

    const confirmed = ['correct', 'main', date, '--yes', '--reason', 'ticket 12'];
    expect(await succeed(...confirmed)).toMatch(new RegExp(`^corrected main ${date}: .*\\npublished `, 'm'));
    const stored = rows('select date, reason from storage_correction');
    expect(stored).toEqual([{ date, reason: 'ticket 12' }]);
    await succeed('status');
    expect(await succeed(...confirmed)).toContain('nothing to correct');
    expect(rows('select date, reason from storage_correction')).toEqual(stored);
  });

  it.each([
    [['mein', '2026-03-01'], 'did you mean main?'],
    [['main', '2026-02-30'], 'expected a day, such as'],
    [['main', '2020-01-01'], '2020-01-01 of account main is not booked'],
  ])('rejects %j, and sends nothing', async (words, message) => {
    const { run, value } = await differingFolder();
    const before = value('select count(*) from request');
    const { code, stderr } = await run('correct', ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message) as string]);
    expect(value('select count(*) from request')).toBe(before);
  });
});

it.each([
  [['--from', '2026-01-01'], '--from and --to name days of the storage'],
  [['--storage', '--to', '2026-01-01'], '--to needs --from'],
  [['--storage', '--from', '2026-01-02', '--to', '2026-01-01'], 'is later than --to'],
  [['--storage', '--from', '2026-01-02', '--to', '2099-01-01'], '2099-01-01 is in the future'],
  [['--storage', '--from', 'monday'], 'expected a day, such as'],
])('sync %j is rejected', async (words, message) => {
  const { code, stderr } = await commandFolder({ url: NOWHERE }).run('sync', ...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message) as string]);
});

it('an edit of timezone over booked days is rejected, except for another name of the same zone', async () => {
  const { cwd } = await differingFolder();
  const config = configText({ url: NOWHERE, packages: [103] }).replace('data/', `${cwd}/data/`);
  const edited = (timezone: string) => commandFolder(config.replace('Asia/Seoul', timezone));
  for (const command of ['sync', 'start', 'check']) {
    const { code, stderr } = await edited('America/New_York').run(command);
    expect([command, code]).toEqual([command, 2]);
    expect(stderr).toContain(
      'timezone is America/New_York, but 1 day was booked by the calendar of Asia/Seoul',
    );
    expect(stderr).toContain('set `timezone: Asia/Seoul` again');
  }
  expect((await edited('ROK').run('sync')).code).not.toBe(2);
});
