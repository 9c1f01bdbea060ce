import { expect, it } from 'vitest';
import { killPublications } from '../support/processes/killed-publications.ts';

it('sixty publications that are killed at random moments leave the complete old file or the complete new one', async () => {
  const done = await killPublications(60, () => Math.random() * 1.6);
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(60);
}, 300_000);
