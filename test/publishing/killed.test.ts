import { expect, it } from 'vitest';
import { killPublications } from '../support/processes/killed-publications.ts';

it('a publication that is killed at any moment leaves the complete old file or the complete new one', async () => {
  const moments = [0.05, 0.4, 0.7, 0.9, 1.5];
  const done = await killPublications(moments.length, () => moments.shift() ?? 0);
  expect(done).toBeLessThan(5);
}, 60_000);
