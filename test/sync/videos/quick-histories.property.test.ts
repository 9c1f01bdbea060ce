import { expect, it } from 'vitest';
import { checkQuickWalks } from '../../support/models/quick-histories.ts';
import { rounds } from '../../support/rounds.ts';

it('after any uploads and deletions, a quick walk makes the ids equal to those of the service', async () => {
  await expect(checkQuickWalks(rounds(250, 10), 1)).resolves.toBeUndefined();
}, 600_000);
