/** Sends requests at scheduled times, independent of earlier responses; a latency counts from the scheduled time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** Seconds at the start that are not counted: connections open and code is compiled. */
const WARM_SECONDS = 2;

/** Requests `getPath()` at a fixed rate. Returns latencies in milliseconds; throws where an answer is not 200. */
export async function requestSteadily(url, getPath, { perSecond, seconds }) {
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  const startedAt = performance.now();
  const send = async (dueAt) => {
    const { statusCode, body } = await pool.request({ path: getPath(), method: 'GET' });
    await body.dump({ limit: Number.MAX_SAFE_INTEGER });
    if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
    return performance.now() - dueAt;
  };
  const sent = [];
  for (let number = 0; number < (WARM_SECONDS + seconds) * perSecond; number++) {
    const dueAt = startedAt + (number * 1000) / perSecond;
    if (dueAt > performance.now()) await sleep(dueAt - performance.now());
    sent.push(send(dueAt));
  }
  const latencies = (await Promise.all(sent)).slice(WARM_SECONDS * perSecond);
  await pool.close();
  latencies.sort((one, other) => one - other);
  const quantile = (share) => latencies[Math.floor((latencies.length - 1) * share)];
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99), maxMs: quantile(1) };
}
