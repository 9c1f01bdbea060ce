import { describe, expect, it } from 'vitest';
import { MODEL_TIMEOUT_MS, runWalkCases } from '../../support/models/walk-model.ts';
import { rounds } from '../../support/rounds.ts';

describe('a walk of a service that changes between any two requests', () => {
  it(
    'removes nothing that is listed, loses nothing, stays within its requests, and converges to the service',
    async () => {
      await expect(runWalkCases(rounds(1500, 40), 1)).resolves.toBeUndefined();
    },
    MODEL_TIMEOUT_MS,
  );
});
