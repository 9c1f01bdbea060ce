import { it } from 'vitest';
import { startChangingPackage } from '../../support/servers/changing-package.ts';
import { fullWalksSettleReturns, quickWalksKeepUp } from '../../support/models/quick-histories.ts';

it('after any uploads and deletions, a quick walk makes the ids equal to those of the service', async () => {
  await quickWalksKeepUp(await startChangingPackage([]), 250, 2);
}, 600_000);

it('what a quick walk misses of returned videos, the next full walk finds', async () => {
  await fullWalksSettleReturns(await startChangingPackage([]), 150, 2);
}, 600_000);
