import { describe, it } from 'vitest';
import { PATIENCE_MS, playWalks } from '../../support/models/run-walk-cases.ts';

describe('a walk of a service that changes between any two requests', () => {
  it(
    'removes nothing that is there, loses nothing, keeps to its requests, and comes to equal the service',
    async () => {
      await playWalks(80, 1);
    },
    PATIENCE_MS,
  );
});
