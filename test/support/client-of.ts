import { onTestFinished } from 'vitest';
import type { TransientError, RefusedError } from '../../src/lib/errors.ts';
import type { Budget } from '../../src/service/client/budget.ts';
import {
  createServiceClient,
  type ClientOptions,
  type PageRequest,
  type ServiceAccount,
  type ServiceClient,
} from '../../src/service/client/client.ts';
import { AWKWARD_KEY } from './awkward-key.ts';
import { createOpenBudget, type OpenBudget } from './open-budget.ts';
import { startScriptedService, type Script, type ScriptedService } from './scripted-service.ts';
import { createRecordingClock, type RecordingClock } from './recording-clock.ts';

export type Wishes = Partial<Omit<ClientOptions, 'account' | 'budget' | 'clock'>> & {
  account?: Partial<ServiceAccount>;
  budget?: Budget;
  clock?: RecordingClock;
};

export interface Asked {
  service: ScriptedService;
  client: ServiceClient;
  clock: RecordingClock;
  /** Used unless another one was wished for. */
  budget: OpenBudget;
}

/** A client of a service that follows the script, with a recording clock; pauses take their whole ceiling. */
export async function clientOf(script: Script, wishes: Wishes = {}): Promise<Asked> {
  const service = await startScriptedService(script);
  const clock = wishes.clock ?? createRecordingClock();
  const budget = createOpenBudget(clock);
  const client = createServiceClient({
    budget,
    random: () => 1,
    ...wishes,
    clock,
    account: accountAt(service.url, wishes.account),
  });
  onTestFinished(() => client.close());
  return { service, client, clock, budget };
}

/** An account whose video list and storage are both at this address. */
export function accountAt(url: string, wishes: Partial<ServiceAccount> = {}): ServiceAccount {
  return {
    name: 'main',
    videoList: { baseUrl: url, key: AWKWARD_KEY },
    storage: { baseUrl: url, auth: 'none', key: AWKWARD_KEY },
    concurrency: 4,
    codes: { restricted: [], final: [] },
    ...wishes,
  };
}

/** A request for a page of package 101. */
export function pageRequest(page = 1, wishes: Partial<PageRequest> = {}): PageRequest {
  return { packageId: 101, page, pageSize: 1000, purpose: 'page', runId: 1, ...wishes };
}

/** A request for the storage of January. */
export const JANUARY = { from: '2026-01-01', to: '2026-01-31', purpose: 'storage', runId: 1 } as const;

/** What the promise is rejected with; it must be. */
export async function failureOf(promise: Promise<unknown>): Promise<TransientError | RefusedError> {
  try {
    await promise;
  } catch (error) {
    return error as TransientError | RefusedError;
  }
  throw new Error('there was no failure');
}
