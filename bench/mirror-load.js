/**
 * An open loop of requests: each is due at its time, whether the earlier ones were answered or not, and its latency counts
 * from there. Responses are read and not parsed; some are kept to be checked afterwards.
 */
import { setTimeout } from 'node:timers';
import { Pool } from 'undici';
import { ascending, quantile } from './mirror-config.js';

/** Asked like the rest, and not counted: connections are made and code is compiled. */
const WARM_SECONDS = 2;
/** One response in this many is kept. */
const KEPT_OF = 500;

/**
 * Requests `pathOf()` at a fixed rate for a fixed time; `counting` is called when the counted part begins. Gives responses a
 * second, latencies in milliseconds, failures (another status than 200, or a connection that broke), and sample responses.
 */
export async function askSteadily(url, pathOf, { perSecond, seconds, counting = () => {} }) {
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  const warm = WARM_SECONDS * perSecond;
  const latencies = [];
  const samples = [];
  let failures = 0;
  let lastAt = 0;
  const begun = performance.now();
  const getDue = (number) => begun + (number * 1000) / perSecond;
  const send = (number) =>
    ask(pool, pathOf(), number % KEPT_OF === 0).then(({ status, path, text }) => {
      if (number < warm) return;
      lastAt = performance.now();
      latencies.push(lastAt - getDue(number));
      if (status !== 200) failures++;
      else if (text !== null) samples.push({ path, text });
    });
  await atTheirTimes(warm + perSecond * seconds, getDue, (number) => {
    if (number === warm) counting();
    return send(number);
  });
  await pool.close();
  const sorted = ascending(latencies);
  return {
    achieved: ((latencies.length - failures) * 1000) / (lastAt - getDue(warm)),
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    max: sorted.at(-1),
    failures,
    samples,
  };
}

/** Calls `send` with 0, 1, … when each is due; resolves when all that it promised is done. */
function atTheirTimes(count, getDue, send) {
  return new Promise((resolve) => {
    const sent = [];
    const go = () => {
      while (sent.length < count && getDue(sent.length) <= performance.now()) sent.push(send(sent.length));
      if (sent.length === count) resolve(Promise.all(sent));
      else setTimeout(go, Math.max(0, getDue(sent.length) - performance.now()));
    };
    go();
  });
}

function ask(pool, path, isKept) {
  return new Promise((resolve) => {
    const chunks = [];
    let status = 0;
    const handler = {
      onRequestStart: () => {},
      onResponseStart: (_controller, code) => void (status = code),
      onResponseData: (_controller, chunk) => void (isKept && chunks.push(chunk)),
      onResponseEnd: () => resolve({ status, path, text: isKept ? Buffer.concat(chunks).toString() : null }),
      onResponseError: () => resolve({ status: 0, path, text: null }),
    };
    pool.dispatch({ path, method: 'GET' }, handler);
  });
}
