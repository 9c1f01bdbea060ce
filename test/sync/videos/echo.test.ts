import { describe, expect, it } from 'vitest';
import { openWalkedAccount, firstFailure, OF_102 } from '../../support/servers/walked-packages.ts';

describe('a response that echoes', () => {
  const CASES: [string, Record<string, unknown>, RegExp][] = [
    ['another package', { pkg: 101 }, /its response says that it is one of package 101/],
    ['another package, as text', { pkg: '101' }, /its response says that it is one of package 101/],
    ['a search', { keyword: 'cats', search_item: 'title' }, /echoes a keyword that was not requested/],
  ];

  it.each(CASES)('%s is fetched again; if it is repeated, it is not stored', async (_, echo, message) => {
    const { service, run, live, leftovers } = await openWalkedAccount({ 102: OF_102 });
    let left = 1;
    service.intercept = () => (left-- > 0 ? { packageId: 102, echo, only: (id) => id < 100 } : undefined);
    expect((await run()).failures).toEqual([]);
    expect([live(102), leftovers(), service.takePages(102)]).toEqual([OF_102, [], [1, 1]]);
    left = 2;
    expect(firstFailure(await run())).toMatchObject({ message: expect.stringMatching(message) as string });
    expect([live(102), leftovers()]).toEqual([OF_102, []]);
  });

  it.each([[{ fromDate: '2026-01-01', toDate: '2026-12-31' }], [{ search_item: 'title' }]])(
    '%j without a keyword is stored: the service may always echo it',
    async (echo) => {
      const { service, run, live, leftovers } = await openWalkedAccount({ 102: OF_102 });
      service.intercept = () => ({ packageId: 102, echo });
      service.getPackage(102).add(5000);
      expect((await run()).failures).toEqual([]);
      expect([live(102), leftovers(), service.takePages(102)]).toEqual([[...OF_102, 5000], [], [1]]);
    },
  );

  it('is not stored either where the bytes of the page are known', async () => {
    const { service, run } = await openWalkedAccount({ 102: OF_102 });
    service.intercept = () => ({ packageId: 102, echo: { keyword: 'x' } });
    expect(firstFailure(await run())?.message).toContain('keyword');
  });

  it.each([[{ pkg: 102 }], [{ pkg: '102' }], [{ pkg: '' }], [{ pkg: null, keyword: null, fromDate: ' ' }]])(
    '%j is the expected response',
    async (echo) => {
      const { service, run } = await openWalkedAccount({ 102: OF_102 });
      service.intercept = () => ({ packageId: 102, echo });
      service.getPackage(102).add(5000);
      expect((await run()).failures).toEqual([]);
      expect(service.takePages(102)).toEqual([1]);
    },
  );
});
