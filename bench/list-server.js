/**
 * The list of videos that the bench walks: packages of the same size, records of about 1 KB. Started by `fork`; a message
 * `{ packages, videos, changes, editions }` makes another state of it.
 */
import { createServer } from 'node:http';
import { totalmem } from 'node:os';

const PAGE = 1000;
/** Bytes of rendered pages that are kept. Others are rendered at each request, which takes longer than vodhouse takes for a page that did not change. */
const CACHE_BYTES = totalmem() / 4;
const WORDS = '강의 소개 Introduction 데이터 season 하이라이트 “quoted” episode 😀 인터뷰 campus 실습'.split(
  ' ',
);
const phrase = (seed, length) =>
  Array.from({ length }, (_, index) => WORDS[(seed * 7 + index * 5) % WORDS.length]).join(' ');

/** `videos`: of each package; `changes`: each edits another hundredth of them; `editions`: each edits all. */
let state = { packages: 0, videos: 0, changes: 0, editions: 0 };
const cache = new Map();
let cached = 0;

function createRecord(pkg, id) {
  return {
    id,
    cid: id % 3 === 0 ? null : `c-${pkg}-${id}`,
    access_key: `ak${String(id).padStart(30, '0')}`,
    org_access_key: `ok${String(id).padStart(30, '0')}`,
    title: `${phrase(id, 4)} ${id}${formatEdits(id)}`,
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

function formatEdits(id) {
  const last = state.changes - ((((state.changes - id) % 100) + 100) % 100);
  return `${last > 0 ? ` (edit ${last})` : ''}${state.editions > 0 ? ` (edition ${state.editions})` : ''}`;
}

function renderPage(pkg, page, pagesize) {
  const key = [state.videos, state.changes, state.editions, pkg, page, pagesize].join();
  const ready = cache.get(key);
  if (ready) return ready;
  const body = Buffer.from(JSON.stringify(createBody(pkg, page, pagesize)));
  if (cached + body.length <= CACHE_BYTES) {
    cache.set(key, body);
    cached += body.length;
  }
  return body;
}

function createBody(pkg, page, pagesize) {
  const first = (page - 1) * pagesize;
  const length = Math.max(0, Math.min(pagesize, state.videos - first));
  const videoInfoList = Array.from({ length }, (_, index) => createRecord(pkg, first + index + 1));
  const totalpage = Math.ceil(state.videos / pagesize);
  const paging = { page, pagesize, totalcount: state.videos, totalpage };
  const sorted = { sort_item: 'id', sort_direction: 'ASC', fromDate: '', toDate: '' };
  const apiVideoSearchOption = { search_item: '', keyword: '', filter: 'all', ...sorted };
  const errorInfo = { errorCode: 'None', errorMessage: '' };
  return { videoInfoList: { apiVideoSearchOption, videoInfoList, errorInfo, paging } };
}

const server = createServer((request, response) => {
  const query = new URL(request.url, 'http://localhost').searchParams;
  const pagesize = Math.min(PAGE, Number(query.get('pagesize')));
  const body = renderPage(Number(query.get('pkg')), Number(query.get('page')), pagesize);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});

process.on('message', (next) => {
  state = { ...state, ...next };
  if (cached > CACHE_BYTES / 2) {
    cache.clear();
    cached = 0;
  }
  for (let pkg = 1; pkg <= state.packages; pkg++)
    for (let page = 1; page <= Math.ceil(state.videos / PAGE); page++) renderPage(pkg, page, PAGE);
  process.send('ready');
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
