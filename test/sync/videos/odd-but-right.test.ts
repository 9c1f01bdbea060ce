import { describe, expect, it } from 'vitest';
import { openWalkedAccount, firstFailure, OF_101, OF_102 } from '../../support/servers/walked-packages.ts';
import { idsFrom } from '../../support/servers/test-service.ts';

describe('normal changes of a service', () => {
  it('uploads that fill a page, in two packages at once, cost nothing more', async () => {
    const old = idsFrom(1, 300);
    const { service, run, live } = await openWalkedAccount(
      { 101: old, 102: old.slice(100) },
      { pageSize: 100 },
    );
    const uploads = idsFrom(1000, 100);
    service.getPackage(101).add(...uploads);
    service.getPackage(102).add(...uploads);
    expect((await run()).failures).toEqual([]);
    expect(service.takePages(102)).toEqual([2, 3, 2, 1]);
    expect(live(102)).toEqual([...old.slice(100), ...uploads]);
  });

  it('older videos that are inserted are stored without a message', async () => {
    const old = [...idsFrom(1, 100), ...idsFrom(5001, 200)];
    const { service, run, live } = await openWalkedAccount({ 102: old }, { pageSize: 100 });
    const imported = idsFrom(1001, 500);
    service.getPackage(102).add(...imported);
    expect((await run()).failures).toEqual([]);
    expect(live(102)).toEqual([...old, ...imported].sort((one, other) => one - other));
  });

  it('a deleted page of videos does not affect the page that follows', async () => {
    const old = idsFrom(1, 500);
    const { service, run, live } = await openWalkedAccount({ 102: old }, { pageSize: 100 });
    service.getPackage(102).remove(...idsFrom(201, 100));
    expect((await run()).failures).toEqual([]);
    await run();
    expect(live(102)).toEqual(old.filter((id) => id < 201 || id > 300));
  });

  it('a deleted page of videos, with others in its range, waits for acceptance', async () => {
    const old = idsFrom(2, 500, 2);
    const { service, run } = await openWalkedAccount({ 102: old }, { pageSize: 100 });
    service.getPackage(102).remove(...old.slice(200, 300));
    service.getPackage(102).add(...old.slice(200, 300).map((id) => id + 1));
    expect(firstFailure(await run())?.message).toContain('holds not one of the 99 known videos');
    const packages = [{ account: null, packageId: 102 }];
    expect((await run({ packages, acceptPage: true })).failures).toEqual([]);
    expect((await run()).failures).toEqual([]);
  });

  it('a package that is emptied, and filled again, is stored without a message', async () => {
    const { service, run, live } = await openWalkedAccount({ 101: OF_101, 102: OF_102 });
    service.getPackage(102).refill([]);
    await run();
    await run();
    expect(live(102)).toEqual([]);
    service.getPackage(102).refill(idsFrom(3, 100, 3));
    expect((await run()).failures).toEqual([]);
    expect(live(102)).toEqual(idsFrom(3, 100, 3));
  });
});
