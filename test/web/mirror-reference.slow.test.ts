import { describe, expect, it } from 'vitest';
import { compareWithReference } from '../support/models/requested-lists.ts';

describe('10,000 queries to lists of random text', () => {
  it('return the same as a plain filter', { timeout: 300_000 }, async () => {
    await expect(compareWithReference(50, 200, 2)).resolves.toBeUndefined();
  });
});
