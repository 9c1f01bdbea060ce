import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { execute } from '../support/fixtures/live-file.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';

const DAY_MS = 86_400_000;
const DAMAGES = [
  ['damaged', (path: string) => writeFileSync(path, '{}')],
  ['gone', (path: string) => rmSync(path)],
] as const;

type Site = ReturnType<typeof openLakeSite>;
const listMissing = (site: Site, keys: readonly string[]) =>
  keys.filter((key) => !existsSync(join(site.root, key)));
const listSetAside = (site: Site) =>
  site.manifest().set_aside.flatMap(({ files }) => files.map(({ key }) => key));

/** Gives the booked day other figures in the published file. */
const contradict = (site: Site) =>
  execute(site.file, "update storage_daily set image_count = image_count + 1 where day = '2026-02-20'");

/** An account with a booked day, whose files of before a rebuild by another warehouse are set aside. Everything is old. */
async function openTaken() {
  const first = openLakeSite();
  first.register();
  await first.walk([1, 2, 3]);
  first.book({ '2026-02-20': 5 });
  await first.ship();
  const site = openLakeSite({ root: first.root });
  site.register();
  await site.walk([1, 2]);
  site.book({ '2026-02-20': 77 });
  await site.publish();
  await site.load({ rebuild: ['main'] });
  const aside = listSetAside(site);
  expect(aside.length).toBeGreaterThan(0);
  site.age([...aside, ...Object.values(site.pointer().files).flat()], 400 * DAY_MS);
  return { site, aside };
}

describe.each(DAMAGES)('an account whose newest manifest is %s', (_name, damage) => {
  it('loses no file that the pointer names, that is set aside, and no booked day', async () => {
    const { site, aside } = await openTaken();
    damage(join(site.root, site.pointer().manifest));
    await site.walk([1, 2, 3]);
    await site.publish();
    contradict(site);
    const before = Object.values(site.pointer().files).flat();
    const { main } = await site.load();
    expect(main).toMatchObject({ outcome: 'loaded' });
    expect(main?.findings.map(({ kind }) => kind)).toEqual(['booked_differs']);
    expect(listMissing(site, before)).toEqual([]); // a query may still read them
    expect(listMissing(site, aside)).toEqual([]);
    expect(listSetAside(site)).toEqual(expect.arrayContaining(aside));
    expect((await site.differences()).filter((line) => !/storage|2026-02-20/.test(line))).toEqual([]);
  });

  it('goes on where all of its manifests are, and files that nothing names stay', async () => {
    const { site, aside } = await openTaken();
    for (const key of site.files('manifest/account=main')) damage(join(site.root, key));
    await site.walk([1, 2, 3]);
    expect(await site.ship()).toMatchObject({ main: { outcome: 'loaded', findings: [] } });
    expect(listMissing(site, aside)).toEqual([]);
    expect(listSetAside(site)).toEqual(expect.arrayContaining(aside));
    expect((await site.load({ verify: ['main'] }))['main']).toMatchObject({ verified: true });
    expect(await site.differences()).toEqual([]);
  });
});

describe('a booked day that only the lake has so', () => {
  it('is told as lost where its file is damaged, and blocks no load', async () => {
    const site = openLakeSite();
    site.register();
    await site.walk([1]);
    site.book({ '2026-02-20': 5 });
    await site.ship();
    contradict(site);
    const [file = ''] = site.pointer().files['storage_daily'] ?? [];
    writeFileSync(join(site.root, file), 'PAR1 no more');
    const { main } = await site.load();
    expect(main).toMatchObject({
      outcome: 'loaded',
      findings: [{ kind: 'booked_differs', message: expect.stringContaining('gone or damaged') as string }],
    });
    expect(await site.differences()).toEqual([]);
    expect(await site.load()).toMatchObject({ main: { outcome: 'unchanged', findings: [] } });
  });
});

describe('a verification', () => {
  it('finds a file of the calendar that is gone, and keeps when it was done last', async () => {
    const site = openLakeSite();
    site.register();
    await site.walk([1]);
    await site.ship();
    rmSync(join(site.root, 'data/dates'), { recursive: true });
    expect(await site.load({ verify: ['main'] })).toMatchObject({ '(runs)': { outcome: 'loaded' } });
    expect(await site.differences()).toEqual([]);
    const { verified_at } = site.pointer().state;
    expect(verified_at).not.toBeNull();
    await site.walk([1, 2]);
    await site.ship();
    expect(site.pointer().state.verified_at).toBe(verified_at);
  });
});
