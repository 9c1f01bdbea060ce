/** A local video list for the bench, in a separate process: `node bench/server.js PACKAGES VIDEOS`. */
import { createServer } from 'node:http';

const [packages, videos] = process.argv.slice(2).map(Number);
const PAGE = 1000;
/** The size of the cache of rendered pages in bytes; other pages are rendered at each request. */
const CACHE_BYTES = 400_000_000;

const words = [
  '강의',
  '소개',
  'Introduction',
  '데이터',
  'season',
  '하이라이트',
  '“quoted”',
  'episode',
  '😀',
  '인터뷰',
  'campus',
  '실습',
];
const phrase = (seed, length) =>
  Array.from({ length }, (_, i) => words[(seed * 7 + i * 5) % words.length]).join(' ');

/** The number of changes of the list: each changes the titles of another hundredth of the videos. */
let changes = 0;

function record(pkg, id) {
  return {
    id,
    cid: id % 3 === 0 ? null : `c-${pkg}-${id}`,
    access_key: `ak${String(id).padStart(30, '0')}`,
    org_access_key: `ok${String(id).padStart(30, '0')}`,
    title: `${phrase(id, 4)} ${id}${formatEdit(id)}`,
    series: id % 4 === 0 ? null : phrase(id >> 5, 2),
    author: id % 5 === 0 ? '' : phrase(id >> 3, 1),
    content: phrase(id, 40),
    tag: id % 2 === 0 ? '' : 'a,b,c',
    copyright: null,
    rate: null,
    cdate: '2025-03-04 05:06:07.0',
    duration: 60_000 + id,
    etc: null,
    thumbnail_url: `https://images.example.test/${pkg}/${id}.jpg`,
    thumbnail_sheet_url: '',
    encoding_success: 'Y',
    v_width: 1920,
    v_height: 1080,
    v_framerate: 29.97,
    filesize: 40_000_000 + id * 17,
    drm_cid: '',
    opt: 'NONE',
    preloading: '',
  };
}

function formatEdit(id) {
  const last = changes - ((((changes - id) % 100) + 100) % 100);
  return last > 0 ? ` (edit ${last})` : '';
}

function body(pkg, page, pagesize) {
  const first = (page - 1) * pagesize;
  const length = Math.max(0, Math.min(pagesize, videos - first));
  const list = Array.from({ length }, (_, index) => record(pkg, first + index + 1));
  const paging = { page, pagesize, totalcount: videos, totalpage: Math.ceil(videos / pagesize) };
  const echo = {
    search_item: '',
    keyword: '',
    filter: 'all',
    sort_item: 'id',
    sort_direction: 'ASC',
    fromDate: '',
    toDate: '',
  };
  const errorInfo = { errorCode: 'None', errorMessage: '' };
  return Buffer.from(
    JSON.stringify({ videoInfoList: { apiVideoSearchOption: echo, videoInfoList: list, errorInfo, paging } }),
  );
}

const cache = new Map();
let cached = 0;

function renderPage(pkg, page, pagesize) {
  const key = `${pkg} ${page} ${pagesize}`;
  const ready = cache.get(key);
  if (ready) return ready;
  const made = body(pkg, page, pagesize);
  if (cached + made.length <= CACHE_BYTES) {
    cache.set(key, made);
    cached += made.length;
  }
  return made;
}

const server = createServer((request, response) => {
  const query = new URL(request.url, 'http://localhost').searchParams;
  const pagesize = Math.min(PAGE, Number(query.get('pagesize')));
  const content = renderPage(Number(query.get('pkg')), Number(query.get('page')), pagesize);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': content.length });
  response.end(content);
});

/** Makes the next change, renders all pages, and then reports it. */
function change() {
  changes++;
  cache.clear();
  cached = 0;
  for (let pkg = 1; pkg <= packages; pkg++) {
    for (let page = 1; page <= Math.ceil(videos / PAGE); page++) renderPage(pkg, page, PAGE);
  }
  process.send('changed');
}

process.on('message', change);
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port, packages }));
process.on('disconnect', () => process.exit());
