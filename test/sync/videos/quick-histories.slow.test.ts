import { expect, it } from 'vitest';
import { startPackageService } from '../../support/servers/test-service.ts';
import { checkReturnsAfterFullWalks, checkQuickWalks } from '../../support/models/quick-histories.ts';
import { rounds } from '../../support/rounds.ts';

it('after any uploads and deletions, a quick walk makes the ids equal to those of the service', async () => {
  const service = await startPackageService([]);
  await expect(checkQuickWalks(service, rounds(250), 2)).resolves.toBeUndefined();
}, 600_000);

it('what a quick walk misses of returned videos, the next full walk finds', async () => {
  const service = await startPackageService([]);
  await expect(checkReturnsAfterFullWalks(service, rounds(150), 2)).resolves.toBeUndefined();
}, 600_000);
