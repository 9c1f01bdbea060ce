import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findLakeDifferences } from '../support/fixtures/lake-rows.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';

const DAY_MS = 86_400_000;

/** A site with 3 videos, one of them changed, and two booked days; everything is in the lake. */
async function openLoaded() {
  const site = openLakeSite();
  site.register();
  await site.walk([1, 2, 3]);
  await site.walk([1, 2, 3], { title: 'new', tag: 'a,b' });
  site.book({ '2026-02-27': 10, '2026-02-28': 20 });
  expect(await site.ship()).toMatchObject({ main: { outcome: 'loaded' }, '(runs)': { outcome: 'loaded' } });
  expect(await site.differences()).toEqual([]);
  return site;
}

describe('an account in a lake', () => {
  it('is refused to another warehouse, until a person lets that one take it', async () => {
    const site = await openLoaded();
    const other = openLakeSite({ root: site.root, start: '2026-03-01T13:00Z' });
    other.register();
    await other.walk([1, 7]);
    other.book({ '2026-02-27': 10, '2026-02-28': 99 });
    const before = site.pointer();
    const refused = await other.ship();
    expect(refused['main']).toMatchObject({
      outcome: 'refused',
      error: expect.stringContaining(`belongs to another warehouse`) as string,
      hint: expect.stringContaining('vodhouse publish --target lake --rebuild main') as string,
    });
    expect(Object.keys(refused)).toEqual(['main']);
    expect(site.pointer()).toEqual(before);
    const taken = await other.load({ rebuild: ['main'] });
    expect(taken['main']).toMatchObject({ outcome: 'loaded', verified: true });
    expect(taken['main']?.findings.map(({ kind }) => kind)).toContain('history_set_aside');
    expect(await other.differences()).toEqual([]);
    const { set_aside } = other.manifest();
    expect(set_aside).toHaveLength(1);
    const kept = set_aside.flatMap(({ files }) => files.map(({ key }) => key));
    expect(other.files()).toEqual(expect.arrayContaining(kept));
    expect((await site.load())['main']).toMatchObject({ outcome: 'refused' });
  });

  it('is held while the lease lasts, and then refused to a copy of the data folder', async () => {
    const site = await openLoaded();
    site.whileClosed(() => undefined);
    const copy = openLakeSite({ data: site.folder, root: site.root, start: '2026-03-02T12:00Z' });
    await site.walk([1, 2, 3], { title: 'by the first' });
    await site.ship();
    await copy.walk([1, 2, 3], { title: 'by the copy' });
    await copy.walk([1, 2, 3, 4], { title: 'by the copy again' });
    const before = site.pointer();
    const held = (await copy.ship())['main'];
    expect(held).toMatchObject({ outcome: 'held', heldBy: site.holder.worker });
    expect(held?.heldUntil).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(held?.error).toMatch(/^account main is held by eu-\d+ until \d\d:\d\d UTC$/);
    expect(site.pointer()).toEqual(before);
    site.endLease();
    const refused = (await copy.load())['main'];
    expect(refused).toMatchObject({
      outcome: 'refused',
      hint: expect.stringContaining('--rebuild main') as string,
    });
    expect(refused?.error).toContain('a copy of its data folder is in use elsewhere');
    expect(site.pointer().files).toEqual(before.files);
  });

  it('is loaded again and again after a person rebuilt it from the right one of two copies', async () => {
    const site = await openLoaded();
    site.whileClosed(() => undefined);
    const copy = openLakeSite({ data: site.folder, root: site.root, start: '2026-03-02T12:00Z' });
    await copy.walk([1, 2, 3], { title: 'by the copy' });
    await copy.walk([1, 2, 3, 4], { title: 'by the copy again' });
    await site.walk([1, 2, 3], { title: 'by the first' });
    site.endLease();
    expect((await copy.ship())['main']).toMatchObject({ outcome: 'loaded' });
    copy.endLease();
    expect((await site.ship())['main']).toMatchObject({ outcome: 'refused' });
    expect((await site.load({ rebuild: ['main'] }))['main']).toMatchObject({ outcome: 'loaded' });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'unchanged' });
    await site.walk([1, 2, 3], { title: 'later' });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded' });
    expect(await site.differences()).toEqual([]);
  });

  it('goes on with a copy of the data folder that the first worker no longer ships', async () => {
    const site = await openLoaded();
    site.whileClosed(() => undefined);
    const moved = openLakeSite({ data: site.folder, root: site.root, start: '2026-03-02T12:00Z' });
    await moved.walk([1, 3], { title: 'there' });
    site.endLease();
    expect((await moved.ship())['main']).toMatchObject({ outcome: 'loaded', findings: [] });
    expect(await moved.differences()).toEqual([]);
    const { main } = await site.ship();
    expect(main).toMatchObject({ outcome: 'held', heldBy: moved.holder.worker });
    expect(site.pointer().facts.epoch).toBe(2);
  });

  it('is never overwritten by an older published file', async () => {
    const site = await openLoaded();
    const older = `${site.file}.older`;
    copyFileSync(site.file, older);
    await site.walk([1, 2, 3], { title: 'newer' });
    await site.ship();
    const before = site.pointer();
    expect((await site.load({ file: older }))['main']).toMatchObject({ outcome: 'refused' });
    expect(site.pointer()).toEqual(before);
    expect((await site.load())['main']).toMatchObject({ outcome: 'unchanged' });
  });

  it('is never overwritten by an older published file that lacks only runs and days', async () => {
    const site = await openLoaded();
    const older = `${site.file}.older`;
    copyFileSync(site.file, older);
    await site.walk([1, 2, 3], { title: 'new', tag: 'a,b' }); // unchanged
    site.book({ '2026-02-26': 20 });
    await site.ship();
    const before = site.pointer();
    expect((await site.load({ file: older }))['main']).toMatchObject({ outcome: 'refused' });
    expect(site.pointer()).toEqual(before);
  });

  it('is loaded once by three processes at the same time', async () => {
    const site = await openLoaded();
    await site.walk([1, 2, 3, 4, 5], { title: 'both' });
    await site.publish();
    const results = await Promise.all([site.load(), site.load(), site.load()]);
    expect(results.map(({ main }) => main?.outcome).sort()).toEqual(['loaded', 'unchanged', 'unchanged']);
    expect(await site.differences()).toEqual([]);
    expect(site.pointer().load).toBe(3); // the claim and two loads
  });

  it('is loaded from where a lake stands that was restored', async () => {
    const site = await openLoaded();
    const older = `${site.root}.older`;
    cpSync(site.root, older, { recursive: true });
    onTestFinished(() => rmSync(older, { recursive: true }));
    await site.walk([1, 2, 3], { title: 'b', tag: 'x' });
    await site.walk([1, 2], { title: 'c' });
    site.book({ '2026-02-26': 20 });
    await site.ship();
    const { main } = await site.load({ target: { place: { kind: 'folder', path: older } } });
    expect(main).toMatchObject({ outcome: 'loaded', findings: [] });
    expect(await findLakeDifferences(site.file, older)).toEqual([]);
  });

  it.each(['an older one', 'none'])('is whole again after its pointer is %s', async (put) => {
    const site = await openLoaded();
    const pointer = join(site.root, 'latest/account=main.json');
    const older = readFileSync(pointer);
    await site.walk([1, 2, 3], { title: 'b', tag: 'x' });
    await site.ship();
    const { load } = site.pointer();
    if (put === 'none') rmSync(pointer);
    else writeFileSync(pointer, older);
    await site.walk([1, 2, 9], { title: 'd' });
    expect((await site.ship())['main']).toMatchObject({ outcome: 'loaded', findings: [] });
    expect(await site.differences()).toEqual([]);
    expect(site.pointer().load).toBe(load + 1);
  });

  it('is removed when a person says so, after the warehouse no longer has it', async () => {
    const site = await openLoaded();
    site.register([101], ['main', 'second']);
    await site.walk([8, 9], {}, 'second');
    site.book({ '2026-02-27': 30 }, 'second');
    await site.ship();
    site.register();
    site.warehouse.forget({ account: 'second', packageId: null }, Date.now());
    const accounts = ['main'];
    const left = await site.ship({ accounts });
    expect(left['(runs)']?.findings).toMatchObject([{ kind: 'left_behind' }]);
    expect(left['(runs)']?.findings[0]?.message).toContain('--rebuild second');
    expect((await site.load({ accounts, rebuild: ['nobody'] }))['nobody']).toMatchObject({
      outcome: 'failed',
    });
    const { second, '(runs)': runs } = await site.load({ accounts, rebuild: ['second'] });
    expect(second).toMatchObject({ outcome: 'deleted', findings: [{ kind: 'history_set_aside' }] });
    expect(runs?.findings).toEqual([]);
    expect(site.pointer('account=second').files).toEqual({});
    expect(readFileSync(join(site.root, 'symlink/videos/account=second/manifest'), 'utf8')).toBe('');
    const [aside] = site.manifest('account=second').set_aside;
    expect(aside?.files.map(({ key }) => key)).toEqual([
      expect.stringMatching(/^data\/storage_daily\/account=second\//),
    ]);
    expect(await site.differences()).toEqual([]);
    const ofSecond = () => site.files('data').filter((key) => key.includes('account=second'));
    expect(ofSecond().length).toBeGreaterThan(1);
    await sleep(20);
    await site.load({ accounts, target: { keepMs: 1 } });
    expect(ofSecond().length).toBeGreaterThan(1); // not before `keep`, as it was when the account went
    const pointer = join(site.root, 'latest/account=second.json');
    writeFileSync(pointer, readFileSync(pointer, 'utf8').replace(/"sweep_after": \d+/, '"sweep_after": 1'));
    await site.load({ accounts, target: { keepMs: 1 } });
    expect(ofSecond()).toEqual(aside?.files.map(({ key }) => key));
    site.register([101], ['main', 'second']);
    await site.walk([8], { title: 'back' }, 'second');
    expect((await site.ship())['second']).toMatchObject({ outcome: 'loaded', findings: [] });
    expect(await site.differences()).toEqual([]);
  });

  it('loses nothing of `keep`, and then everything that no load has', async () => {
    const site = await openLoaded();
    const first = site.files('data');
    for (const title of ['b', 'c', 'd']) {
      await site.walk([1, 2, 3], { title });
      await site.ship();
    }
    expect(site.files('data')).toEqual(expect.arrayContaining(first));
    const orphan = 'data/videos/account=main/0000000000000002-deadbeef-001.parquet';
    writeFileSync(join(site.root, orphan), 'of a load that was killed');
    await site.walk([1, 2, 3], { title: 'e' });
    await site.ship();
    expect(site.files('data')).toContain(orphan); // another worker may be writing it
    site.age([orphan], 4 * DAY_MS);
    await site.walk([1, 2, 3], { title: 'f' });
    await site.ship({ target: { keepMs: 0 } });
    const present = Object.values(site.pointer().files).flat();
    expect(
      site
        .files('data')
        .filter((key) => key.includes('account=main'))
        .sort(),
    ).toEqual(present.sort());
    expect(site.files('manifest/account=main')).toEqual([site.pointer().manifest]);
    expect(await site.differences()).toEqual([]);
  });

  it('is written again where files are gone or changed, found by a check', async () => {
    const site = await openLoaded();
    const { files } = site.pointer();
    const [video = '', history = ''] = [files['videos']?.[0], files['video_history']?.[0]];
    rmSync(join(site.root, video));
    copyFileSync(join(site.root, files['packages']?.[0] ?? ''), join(site.root, history));
    const { main } = await site.load({ verify: ['main'] });
    expect(main).toMatchObject({ outcome: 'loaded', verified: true });
    expect(main?.findings.map(({ message }) => message).join()).toMatch(/videos.*is gone/);
    expect(await site.differences()).toEqual([]);
    expect((await site.load({ verify: ['main'] }))['main']).toMatchObject({ verified: true, rows: 0 });
  });
});
