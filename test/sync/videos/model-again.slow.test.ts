/** The other cases of model.slow.test.ts. */
import { describe, expect, it } from 'vitest';
import { MODEL_TIMEOUT_MS, runWalkCases } from '../../support/models/run-walk-cases.ts';
import { rounds } from '../../support/rounds.ts';

describe('a walk of a service that changes between any two requests', () => {
  it(
    'removes nothing that is listed, loses nothing, stays within its requests, and converges to the service, many more times',
    async () => {
      await expect(runWalkCases(rounds(1000), 3)).resolves.toBeUndefined();
    },
    MODEL_TIMEOUT_MS,
  );
});
