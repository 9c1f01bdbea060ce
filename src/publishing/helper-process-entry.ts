/** The helper process of a publication. */
import { serveRequests } from '../lib/child-process.ts';
import { buildApart } from './build.ts';
import { checkTable } from './check.ts';
import type { HelperRequest } from './helper-process.ts';

serveRequests((work: HelperRequest) =>
  work.task === 'fill-tables'
    ? buildApart(work.request, work.file)
    : work.tables.map((table) => [table.name, checkTable(work.path, table, work.expected)]),
);
