import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ValueOf } from '../../support/models/steps.ts';
import { openWalkedAccount, type WalkedAccount } from '../../support/servers/walked-packages.ts';
import { idsFrom } from '../../support/servers/test-service.ts';

const ACCOUNT = [101, 102, 103] as const;

/** The changes of the account between two runs. */
const turnover = fc.record({
  /** The percentage of the videos of each package that is deleted. */
  deleted: fc.integer({ min: 0, max: 40 }),
  /** New videos of each package: with the highest ids, and with ids in between. */
  uploads: fc.nat(120),
  imports: fc.nat(80),
  /** The percentage of the new videos that is in every package. */
  shared: fc.constantFrom(0, 50, 100),
  /** The package has a subset of the first one's content. */
  chosen: fc.option(fc.constantFrom(102, 103), { freq: 5 }),
  mode: fc.constantFrom('full', 'full', 'quick'),
});
type Turnover = ValueOf<typeof turnover>;

/** Evenly spread, and the same each time: from 0 to 99. */
const scatter = (id: number, salt: number) =>
  (Math.imul(id ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b) >>> 9) % 100;

/** Ids are used once: those of uploads rise, those of imports are older unused ones. */
function change(
  { service }: WalkedAccount,
  step: number,
  { deleted, uploads, imports, shared, chosen }: Turnover,
): void {
  const uploaded = [...idsFrom(1_000_000 + step * 1000, uploads), ...idsFrom(500 * step + 1, imports, 7)];
  const listIds = (packageId: number) => [...service.getPackage(packageId).records.keys()];
  for (const packageId of ACCOUNT) {
    const one = service.getPackage(packageId);
    one.remove(...listIds(packageId).filter((id) => scatter(id, step * 10 + packageId) < deleted));
    one.add(...uploaded.filter((id) => scatter(id, step) < shared || id % 3 === packageId % 3));
  }
  if (chosen === null) return;
  const remaining = listIds(chosen).filter((id) => id % 4 === 0);
  const taken = listIds(101).filter((id) => scatter(id, step + 77) < 30);
  service.getPackage(chosen).refill([...new Set([...remaining, ...taken])]);
}

async function runTurnover(seed: { pageSize: number; steps: readonly Turnover[] }): Promise<void> {
  const lists = { 101: idsFrom(10_000, 250, 4), 102: idsFrom(10_000, 120, 8), 103: idsFrom(10_001, 90, 11) };
  const scene = await openWalkedAccount(lists, { pageSize: seed.pageSize, silent: true, removalBrake: 1 });
  for (const [step, each] of seed.steps.entries()) {
    change(scene, step + 1, each);
    const { failures } = await scene.run({ mode: each.mode });
    expect(failures).toEqual([]);
  }
  for (let run = 0; run < 3; run++) expect((await scene.run()).failures).toEqual([]);
  scene.pipeline.close();
}

it('an account with uploads, deletions, shared videos and subset packages never fails a walk as one with mixed-up packages', async () => {
  const steps = fc.array(turnover, { minLength: 1, maxLength: 4 });
  const seeds = fc.record({ pageSize: fc.constantFrom(20, 50, 100, 1000), steps });
  const property = fc.asyncProperty(seeds, runTurnover);
  await fc.assert(property, { numRuns: 5, seed: 15, endOnFailure: true });
});
