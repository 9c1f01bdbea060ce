import { expect, it } from 'vitest';
import { checkQuickWalks } from '../../support/models/quick-histories.ts';

it('after any uploads and deletions, a quick walk makes the ids equal to those of the service', async () => {
  await expect(checkQuickWalks(10, 1)).resolves.toBeUndefined();
}, 120_000);
