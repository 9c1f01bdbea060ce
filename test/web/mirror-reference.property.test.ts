import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allRecords } from '../support/fixtures/json-page.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import {
  compareWithReference,
  expectAsReference,
  someQueries,
  type Sent,
} from '../support/models/searched-lists.ts';
import { rounds } from '../support/rounds.ts';

describe('a list that is searched, sorted and paged', () => {
  it('equals a plain filter of the records, from the warehouse', async () => {
    await expect(compareWithReference(rounds(100, 4), rounds(200, 100), 1)).resolves.toBeUndefined();
  });

  it('equals it from the sandbox, too', async () => {
    const { url, sandbox } = await startSandbox({ keys: ['test-key'], packages: [{ id: 101, videos: 80 }] });
    const records = (await allRecords(sandbox.catalogue, 101)) as unknown as Sent[];
    const [queries = []] = fc.sample(someQueries(records, 300), { numRuns: 1, seed: 1 });
    await expectAsReference(url, records, queries);
  });
});
