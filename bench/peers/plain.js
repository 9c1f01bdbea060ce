/** The plainest script for Node: `node plain.js URL PACKAGES FILE`. Prints its requests. */
import { Database } from '../../dist/database/sqlite.js';

const [url, packages, file] = process.argv.slice(2);
const db = new Database(file);
db.pragma('journal_mode = WAL');
let upsert = null;
let requests = 0;

function store(pkg, records) {
  const fields = Object.keys(records[0]);
  db.exec(`create table if not exists video (pkg, ${fields}, primary key (pkg, id))`);
  upsert ??= db.prepare(
    `insert into video (pkg, ${fields}) values (?, ${fields.map((name) => `@${name}`)})
     on conflict (pkg, id) do update set ${fields.map((name) => `${name} = excluded.${name}`)}`,
  );
  db.transaction(() => records.forEach((record) => upsert.run(pkg, record)))();
}

for (let pkg = 1; pkg <= Number(packages); pkg++) {
  for (let page = 1, last = 1; page <= last; page++) {
    const query = `pkg=${pkg}&page=${page}&pagesize=1000&sort_item=id&sort_direction=asc`;
    const { videoInfoList } = await (await fetch(`${url}/info/v1/videos.json?key=k&${query}`)).json();
    requests++;
    last = videoInfoList.paging.totalpage;
    if (videoInfoList.videoInfoList.length > 0) store(pkg, videoInfoList.videoInfoList);
  }
}
console.log(requests);
