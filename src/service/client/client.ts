/** The client of the service: both operations of docs/service.md 4, within the budget, with retries. */
import pLimit from 'p-limit';
import type { Dispatcher } from 'undici';
import { createAgent } from '../../lib/http/agent.ts';
import { listProxySecrets, type Proxy } from '../../lib/http/proxy.ts';
import { redact } from '../../lib/redact.ts';
import { createBufferPool } from './buffer-pool.ts';
import { execute, type Connection } from './execute.ts';
import { ignoreContinue } from './interim-responses.ts';
import { readStorageDays, readVideoPage } from './parse-response.ts';
import { buildPageRequest, buildStorageRequest } from './requests.ts';
import type { PageRequest, ServiceAccount, StorageRequest } from './requests.ts';
import { RETRY_POLICY } from './retry.ts';

/** Milliseconds to open a connection. */
const CONNECT_TIMEOUT_MS = 10_000;

type Settings = 'onSent' | 'onDated' | 'deadlineMs' | 'maxBytes' | 'retry' | 'random';

export interface ClientOptions
  extends Pick<Connection, 'budget' | 'clock'>, Partial<Pick<Connection, Settings>> {
  account: ServiceAccount;
  connectTimeoutMs?: number;
}

export type ServiceClient = ReturnType<typeof createServiceClient>;

/** Creates the client of one account; its connections are kept open between requests. */
export function createServiceClient(options: ClientOptions) {
  const { account } = options;
  const agents = createAgents(options);
  const connection = createConnection(options, agents.get);
  const parsing = { codes: account.codes, redact: (text: string) => redact(text, connection.secrets) };
  return {
    /** docs/service.md 4.1. Throws TransientError (attempts used up), RefusedError, ParkedError. */
    videoPage: (request: PageRequest) =>
      execute(connection, buildPageRequest(account, request), (content) =>
        readVideoPage(content, parsing, request.isUnchanged),
      ),
    /** docs/service.md 4.2, days `yyyy-mm-dd`, both included. Throws as above. */
    storageDays: async (request: StorageRequest) =>
      execute(connection, buildStorageRequest(account, request), (content) =>
        readStorageDays(content, parsing),
      ),
    close: agents.close,
  };
}

/** One agent for each proxy, and one for direct connections. */
function createAgents({ account, connectTimeoutMs = CONNECT_TIMEOUT_MS }: ClientOptions) {
  const { concurrency: connections, ca = null } = account;
  const agents = new Map<string | null, Dispatcher>();
  const open = (proxy: Proxy | null) =>
    createAgent({ connections, connectTimeoutMs, proxy, ca, adapt: ignoreContinue });
  return {
    get: (proxy: Proxy | null): Dispatcher => {
      const url = proxy?.url ?? null;
      const agent = agents.get(url) ?? open(proxy);
      agents.set(url, agent);
      return agent;
    },
    close: async (): Promise<void> => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

function listProxyPasswords({ videoList, storage }: ServiceAccount): string[] {
  const proxies = [videoList.proxy, storage?.proxy];
  return proxies.flatMap((proxy) => (proxy ? listProxySecrets(proxy.url) : []));
}

function createConnection(
  { account, ...options }: ClientOptions,
  agentFor: Connection['agentFor'],
): Connection {
  return {
    agentFor,
    answeredOrigins: new Set(),
    buffers: createBufferPool(),
    inFlight: pLimit(account.concurrency),
    onSent: () => undefined,
    onDated: () => undefined,
    deadlineMs: 30_000,
    maxBytes: 32 * 1024 * 1024,
    retry: RETRY_POLICY,
    random: Math.random,
    ...options,
    secrets: [account.videoList.key, account.storage?.key ?? '', ...listProxyPasswords(account)],
    lastRefusedCode: null,
  };
}
