/**
 * Sends requests at scheduled times, independent of earlier responses; the latency of a request counts from
 * its scheduled time. Responses are read and not parsed; samples are returned for a later check.
 */
import { setTimeout } from 'node:timers';
import { Pool } from 'undici';
import { ascending, quantile } from './mirror-config.js';

/** Seconds at the start that are not counted: connections open and code is compiled. */
const WARM_SECONDS = 2;
/** One of this number of responses is a sample. */
const SAMPLE_EVERY = 500;

/**
 * Requests `getPath()` at a fixed rate for a fixed time; calls `counting` when the counted part begins.
 * Returns responses a second, latencies in milliseconds, failures (a status other than 200, or a broken
 * connection), and sample responses.
 */
export async function requestSteadily(url, getPath, { perSecond, seconds, counting = () => {} }) {
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  const warm = WARM_SECONDS * perSecond;
  const latencies = [];
  const samples = [];
  let failures = 0;
  let lastAt = 0;
  const startedAt = performance.now();
  const getDue = (number) => startedAt + (number * 1000) / perSecond;
  const send = (number) =>
    sendRequest(pool, getPath(), number % SAMPLE_EVERY === 0).then(({ status, path, text }) => {
      if (number < warm) return;
      lastAt = performance.now();
      latencies.push(lastAt - getDue(number));
      if (status !== 200) failures++;
      else if (text !== null) samples.push({ path, text });
    });
  await callOnSchedule(warm + perSecond * seconds, getDue, (number) => {
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

/** Calls `send` with 0, 1, … at their scheduled times; resolves when all returned promises have. */
function callOnSchedule(count, getDue, send) {
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

function sendRequest(pool, path, isSampled) {
  return new Promise((resolve) => {
    const chunks = [];
    let status = 0;
    const handler = {
      onRequestStart: () => {},
      onResponseStart: (_controller, code) => void (status = code),
      onResponseData: (_controller, chunk) => void (isSampled && chunks.push(chunk)),
      onResponseEnd: () =>
        resolve({ status, path, text: isSampled ? Buffer.concat(chunks).toString() : null }),
      onResponseError: () => resolve({ status: 0, path, text: null }),
    };
    pool.dispatch({ path, method: 'GET' }, handler);
  });
}
