/** The other thousand cases of model.slow.test.ts. */
import { describe, it } from 'vitest';
import { PATIENCE_MS, playWalks } from '../../support/models/run-walk-cases.ts';

describe('a walk of a service that changes between any two requests', () => {
  it(
    'removes nothing that is listed, loses nothing, stays within its requests, and converges to the service, another thousand times',
    async () => {
      await playWalks(1000, 3);
    },
    PATIENCE_MS,
  );
});
