import { describe, expect, it } from 'vitest';
import { AT, gap, pause, removal, run, walk } from '../../support/fixtures/page-rows.ts';
import { openPages } from '../../support/servers/open-pages.ts';
import { getText, listElements, named } from '../../support/read-html.ts';

describe('the cells of every table', () => {
  it('have the heading of their column, for the cards of a phone', async () => {
    const { page } = await openPages([run({ status: 'failed', error: 'HTTP 500' })]);
    const labelsOn = async (path: string, id: string, row: number) =>
      named((await page(path)).part(id), 'tr')
        .slice(row, row + 1)
        .flatMap((each) => named(each, 'th', 'td'))
        .map(({ attributes }) => attributes.get('data-label') ?? null);
    expect(await labelsOn('/runs', 'runs', 1)).toEqual([
      null,
      'Started',
      'Duration',
      'Status',
      'Added',
      'Edited',
      'Removed',
      'Restored',
      'Requests',
    ]);
    expect(await labelsOn('/runs', 'runs', 2)).toEqual([null, null]);
    expect((await labelsOn('/packages', 'content', 1)).slice(0, 3)).toEqual([null, 'State', 'Videos']);
  });
});

describe('every time', () => {
  it('is of the zone of the service, which the footer names once, also in messages and errors', async () => {
    const until = '2026-03-10 15:00:00';
    const error = `account main is paused until ${until} UTC`;
    const at = { started_at: AT, origin_started_at: '2026-03-10 10:00:00', resume_at: until };
    const { page } = await openPages([
      run({ ...at, status: 'parked', error }),
      walk({ status: 'failed', error, package_id: 104 }),
      removal(1, AT),
      pause(until, until),
      gap('2026-03-09'),
    ]);
    const paths = ['/', '/runs', '/runs/1', '/packages/main/104?kind=removed', '/videos/main/104/1'];
    for (const path of [
      ...paths,
      '/packages/main/500',
      '/changes?q=main&kind=present',
      '/changes',
      '/storage?month=2026-03',
    ]) {
      const { root } = await page(path);
      const texts = listElements(root).flatMap((each) => [getText(each), each.attributes.get('title') ?? '']);
      expect([path, texts.filter((text) => /UTC|2026-03-10 1[0-5]:/.test(text))]).toEqual([path, []]);
      expect([path, getText(root).split('Asia/Seoul').length]).toEqual([path, 2]);
    }
    const facts = (await page('/runs/1')).partText('content');
    expect(facts).toContain('waits until 2026-03-11 00:00:00');
    expect(facts).toContain('paused until 2026-03-11 00:00:00');
    expect((await page()).partText('progress')).toContain('22:00');
  });
});

describe('every referenced element', () => {
  it('exists: labels and addresses within the page have a target', async () => {
    const { page } = await openPages([run({})]);
    for (const path of [
      '/',
      '/packages/main/104',
      '/packages/main/102',
      '/videos/main/104/1',
      '/storage?account=main&month=2026-03',
    ]) {
      const { root } = await page(path);
      const all = listElements(root);
      const ids = all.flatMap(({ attributes }) => attributes.get('id') ?? []);
      expect(new Set(ids).size).toBe(ids.length);
      const meant = all.flatMap(({ attributes }) => [
        ...(attributes.get('aria-labelledby')?.split(' ') ?? []),
        ...(attributes.get('for')?.split(' ') ?? []),
        ...(/^#(.*)/.exec(attributes.get('href') ?? '')?.slice(1) ?? []),
      ]);
      expect([path, meant.filter((id) => !ids.includes(id))]).toEqual([path, []]);
    }
  });
});
