/**
 * Requests lists from a server that implements docs/service.md, and compares each response with the
 * reference.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { createVirtualClock } from '../clocks/virtual-clock.ts';
import { expectDescribed } from '../openapi-document.ts';
import { createMirrored } from '../servers/mirrored-warehouse.ts';
import { referenceList, type Asked, type Sent } from './reference-list.ts';
import { startScriptedService } from '../servers/scripted-service.ts';
import { someQuestions, someRecords } from './searched-lists.ts';
import { listPage, serveEverything } from '../fixtures/service-responses.ts';

const PATH = '/info/v1/videos.json';

/** Sends each query and expects the records, the count and the echo of the reference. */
export async function expectAsReference(url: string, records: readonly Sent[], questions: readonly Asked[]) {
  for (const asked of questions) {
    const response = await fetch(`${url}${PATH}?${formatQuery(asked)}`);
    const body = (await response.json()) as { videoInfoList: Record<string, unknown> };
    expectDescribed(PATH, response.status, body);
    const expected = referenceList([...records], asked);
    expect(body.videoInfoList).toMatchObject({
      errorInfo: { errorCode: 'None' },
      paging: { page: asked.page, pagesize: asked.size, totalcount: expected.totalcount },
      apiVideoSearchOption: { search_item: asked.search?.item ?? '', keyword: asked.search?.keyword ?? '' },
    });
    expect(body.videoInfoList['videoInfoList']).toEqual(expected.records);
  }
}

function formatQuery({ search, item, direction, page, size }: Asked): string {
  const found = search && { search_item: search.item, keyword: search.keyword };
  const sort = { sort_item: item, sort_direction: direction };
  const query = {
    key: 'test-key',
    pkg: '101',
    ...found,
    ...sort,
    page: String(page),
    pagesize: String(size),
  };
  return new URLSearchParams(query).toString();
}

/** Random packages, each synced into a warehouse and served back, with the given number of queries each. */
export function compareWithReference(cases: number, questions: number, seed: number): Promise<void> {
  const package101 = someRecords.chain((records) =>
    fc.record({ records: fc.constant(records), questions: someQuestions(records, questions) }),
  );
  const property = fc.asyncProperty(package101, async ({ records, questions }) => {
    const service = await startScriptedService(serveEverything((request) => listPage(request, records)));
    const clock = createVirtualClock('2026-03-09T03:00:00Z');
    const options = { packages: [101], pageSize: 25, clock, since: '2026-03-08' };
    const mirrored = createMirrored({ url: service.url, ...options });
    try {
      expect((await mirrored.sync()).status).toBe('succeeded');
      await expectAsReference(await mirrored.serve(), records, questions);
    } finally {
      await mirrored.close();
    }
  });
  return fc.assert(property, { numRuns: cases, seed, endOnFailure: true });
}
