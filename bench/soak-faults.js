/** The faults of the simulated service in the soak: what becomes of a request, drawn at random. */

/** Each kind, and its weight among the faults. `plain` faults need no body of the service. */
const KINDS = {
  'error 500': 3,
  'error 503': 3,
  'error 503 with a time': 1,
  '429 with a time': 1,
  dropped: 3,
  cut: 3,
  'not JSON': 2,
  empty: 1,
  slow: 4,
  stalled: 1,
  'error code': 2,
  'restricted code': 1,
  'new field': 1,
  'missing field': 1,
  'other type': 1,
  'records left out': 1,
  'page of another package': 1,
  'wrong count': 1,
  'wrong date': 1,
  'days of zeros': 2,
  'days left out': 2,
  'other figures': 2,
};
const LIST_ONLY = ['new field', 'missing field', 'other type', 'records left out'];
LIST_ONLY.push('page of another package', 'wrong count');
const DAYS_ONLY = ['days of zeros', 'days left out', 'other figures'];

/** Share of the requests with a fault: mostly few, in a bad phase most. */
const [GOOD_SHARE, BAD_SHARE] = [0.02, 0.7];
const [GOOD_MS, BAD_MS] = [90_000, 25_000];

/** Draws the fault of each request; null: none. Phases of few and of many faults alternate. */
export function createFaults(random, now = Date.now) {
  const phase = { isBad: false, until: now() + GOOD_MS };
  const pick = (isList) => {
    const fitting = Object.entries(KINDS).filter(
      ([kind]) => !(isList ? DAYS_ONLY : LIST_ONLY).includes(kind),
    );
    let left = random() * fitting.reduce((sum, [, weight]) => sum + weight, 0);
    return fitting.find(([, weight]) => (left -= weight) < 0)?.[0] ?? 'dropped';
  };
  return (isList) => {
    if (now() >= phase.until) {
      phase.isBad = !phase.isBad;
      phase.until = now() + (0.5 + random()) * (phase.isBad ? BAD_MS : GOOD_MS);
    }
    return random() < (phase.isBad ? BAD_SHARE : GOOD_SHARE) ? pick(isList) : null;
  };
}

const json = (change) => (text) => JSON.stringify(change(JSON.parse(text)));
const list = (change) =>
  json((body) => {
    change(body.videoInfoList, body.videoInfoList.videoInfoList);
    return body;
  });
const days = (change) =>
  json((body) => {
    body.data.list = change(body.data.list);
    return body;
  });
const zeros = (day) =>
  Object.fromEntries(Object.entries(day).map(([name, value]) => [name, name === 'date' ? value : 0]));
const others = (day) => ({ ...day, mov_org_size: Math.round(Number(day.mov_org_size) * 1.01) + 1 });

/**
 * Changes the body of a response. `memory` has the days that were sent as zeros (each only once: a second reading with
 * the same figures is booked) and the booked ones (only they are sent with other figures, which must change nothing).
 */
export function spoil(kind, text, random, memory) {
  const isFirst = ({ date }) =>
    !memory.zeroed.has(date) && memory.zeroed.add(date) && !memory.booked.has(date);
  const changes = {
    'new field': list((_, records) => records.forEach((each) => (each.playcount = each.id % 7))),
    'missing field': list((_, records) => records.forEach((each) => delete each.preloading)),
    'other type': list((_, records) => records.slice(0, 2).forEach((each) => (each.title = [each.id]))),
    'records left out': list((_, records) => records.splice(Math.floor(random() * records.length), 3)),
    'wrong count': list(({ paging }) => (paging.totalcount += 1 + Math.floor(random() * 500))),
    'days of zeros': days((each) => each.map((day) => (isFirst(day) ? zeros(day) : day))),
    'days left out': days((each) => each.filter(() => random() < 0.5)),
    'other figures': days((each) => each.map((day) => (memory.booked.has(day.date) ? others(day) : day))),
  };
  return changes[kind] ? changes[kind](text) : text;
}

/** Random numbers from 0 up to, not including, 1: the same ones for a seed (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
