import { describe, it } from 'vitest';
import { askMirrors } from '../support/models/requested-lists.ts';

describe('10,000 questions to lists of random text', () => {
  it('are answered as a plain filter answers them', { timeout: 300_000 }, async () => {
    await askMirrors(50, 200, 2);
  });
});
