/** The client of the service: both operations of docs/service.md 4, within the budget, with retries. */
import pLimit from 'p-limit';
import { createAgent } from '../../lib/http/agent.ts';
import { listProxySecrets, NO_PROXIES } from '../../lib/http/proxies.ts';
import { redact } from '../../lib/redact.ts';
import { execute, type Connection } from './execute.ts';
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
  const connection = createConnection(options);
  const parsing = { codes: account.codes, redact: (text: string) => redact(text, connection.secrets) };
  return {
    /** docs/service.md 4.1. Throws TransientError (attempts used up), RefusedError, ParkedError. */
    videoPage: (request: PageRequest) =>
      execute(connection, buildPageRequest(account, request), (content) =>
        readVideoPage(content, parsing, request.knownHash ?? null),
      ),
    /** docs/service.md 4.2, days `yyyy-mm-dd`, both included. Throws as above. */
    storageDays: async (request: StorageRequest) =>
      execute(connection, buildStorageRequest(account, request), (content) =>
        readStorageDays(content, parsing),
      ),
    close: () => connection.agent.destroy(),
  };
}

function createConnection({
  account,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  ...options
}: ClientOptions): Connection {
  const { videoList, storage, concurrency: connections, ca = null, proxies = NO_PROXIES } = account;
  const passwords = [proxies.httpProxy, proxies.httpsProxy].flatMap(listProxySecrets);
  return {
    agent: createAgent({ connections, connectTimeoutMs, proxies, ca }),
    inFlight: pLimit(account.concurrency),
    onSent: () => undefined,
    onDated: () => undefined,
    deadlineMs: 30_000,
    maxBytes: 32 * 1024 * 1024,
    retry: RETRY_POLICY,
    random: Math.random,
    ...options,
    secrets: [videoList.key, storage?.key ?? '', ...passwords],
    lastRefusedCode: null,
  };
}
