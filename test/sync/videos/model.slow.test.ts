/** A thousand cases; the other thousand are in a file of their own, so that both cores have one. */
import { describe, it } from 'vitest';
import { PATIENCE_MS, playWalks } from '../../support/models/run-walk-cases.ts';

describe('a walk of a service that changes between any two requests', () => {
  it(
    'removes nothing that is there, loses nothing, keeps to its requests, and comes to equal the service, a thousand times',
    async () => {
      await playWalks(1000, 2);
    },
    PATIENCE_MS,
  );
});
