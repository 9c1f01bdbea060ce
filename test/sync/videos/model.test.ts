import { describe, it } from 'vitest';
import { PATIENCE_MS, playWalks } from '../../support/models/run-walk-cases.ts';

describe('a walk of a service that changes between any two requests', () => {
  it(
    'removes nothing that is listed, loses nothing, stays within its requests, and converges to the service',
    async () => {
      await playWalks(80, 1);
    },
    PATIENCE_MS,
  );
});
