/** The helper process of a publication. */
import { Database } from '../database/sqlite.ts';
import { serveRequests } from '../lib/child-process.ts';
import { addFunctions, attachLive, fillMovements } from './build.ts';
import { checkTable } from './check.ts';
import { createFingerprint } from './fingerprint.ts';
import type { HelperRequest } from './helper-process.ts';
import { createTable } from './mart.ts';
import { dates } from './marts/dates.ts';
import type { PublishRequest } from './publish-request.ts';

serveRequests((work: HelperRequest) =>
  work.task === 'store-movements'
    ? storeMovements(work.request, work.file)
    : work.tables.map((table) => [table.name, checkTable(work.path, table, work.expected)]),
);

/** As `HelperProcess.storeMovements`. */
async function storeMovements(request: PublishRequest, file: string): Promise<string> {
  const db = new Database(file);
  try {
    db.pragma('main.journal_mode = OFF');
    db.pragma('main.synchronous = OFF');
    addFunctions(db, request);
    attachLive(db, request.live);
    db.exec('begin'); // the fingerprint and the tables are of one snapshot
    const fingerprint = createFingerprint(db, request);
    db.exec(createTable(dates));
    await fillMovements(db, request, 'main');
    db.exec('commit');
    return fingerprint;
  } finally {
    db.close();
  }
}
