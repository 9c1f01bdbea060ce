/** Processes that load a target: the built ones, which can be killed. Requires `npm run build`. */
import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { forkDist, sendRequest, type Answer } from '../../../src/lib/child-process.ts';
import type { LoadRequest, LoadResult } from '../../../src/publishing/targets/target-request.ts';
import { createTargetConfig } from '../fixtures/target-config.ts';

export const HOLDER = { worker: 'eu-1', instance: 'one' };

/** A request to load a published file. */
export function createLoadRequest(
  url: string,
  file: string,
  changes: Partial<LoadRequest> = {},
): LoadRequest {
  const target = createTargetConfig(url);
  return { target, file, holder: HOLDER, accounts: [], verify: [], rebuild: [], ...changes };
}

/** Processes that are started before they are needed. */
export interface LoadProcesses {
  take: () => ChildProcess;
}

/** Keeps `count` processes ready until the end of the test. */
export function startLoadProcesses(count: number): LoadProcesses {
  const start = () => forkDist('publishing/targets/load-child.js');
  const ready = Array.from({ length: count }, start);
  onTestFinished(() => ready.forEach((child) => child.kill('SIGKILL')));
  return {
    take: () => {
      ready.push(start());
      return ready.shift() ?? start();
    },
  };
}

/** Loads in a process; null if that was killed before it answered. */
export async function loadInProcess(child: ChildProcess, request: LoadRequest): Promise<LoadResult[] | null> {
  const answer = await sendRequest<Answer<LoadResult[]>>(child, request);
  if (child.connected) child.disconnect();
  if ('ended' in answer) return null;
  if ('error' in answer) throw new Error(JSON.stringify(answer.error));
  return answer.result;
}
