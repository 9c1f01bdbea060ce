import { expect, it } from 'vitest';
import { killPublications } from '../support/processes/killed-publications.ts';
import { rounds } from '../support/rounds.ts';

const KILLS = rounds(60);

it('publications that are killed at random moments leave the complete old file or the complete new one', async () => {
  const done = await killPublications(KILLS, () => Math.random() * 1.6);
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(KILLS);
}, 300_000);
