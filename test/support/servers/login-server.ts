/** A server with a login, one page, and data. */
import { onTestFinished } from 'vitest';
import type { AccountConfig } from '../../../src/config/config.ts';
import { createApp, listen } from '../../../src/service/server/server.ts';
import { createAuthorize, rejectUnauthorized } from '../../../src/web/auth/access.ts';
import { createKeyThrottle } from '../../../src/web/auth/key-throttle.ts';
import { openEndedSessions } from '../../../src/web/auth/ended-sessions.ts';
import { addSecurityHeaders } from '../../../src/web/security-headers.ts';
import { createLogin, FORM_ROUTES } from '../../../src/web/auth/login.ts';
import { createVirtualClock, type VirtualClock } from '../clocks/virtual-clock.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { join } from 'node:path';

export const KEY = 'server-key-of-20-char';

const START = '2026-03-10T12:00:00Z';

const ACCOUNTS = [{ storage: { auth: { header: 'X-Main-Key' } } }] as unknown as AccountConfig[];

export interface LoginServerOptions {
  /** The port of the config; the server listens on any free one. */
  port?: number;
  clock?: VirtualClock;
  /** The file of the ended sessions; default a new one. */
  file?: string;
  trustProxy?: boolean | readonly string[];
}

/** Closes after the test. Forms are rendered as JSON; `errors` collects the arguments of `onError`. */
export async function openLoginServer(keys: readonly string[] = [KEY], options: LoginServerOptions = {}) {
  const { port = 0, clock = createVirtualClock(START), trustProxy = false } = options;
  const { file = join(temporaryFolder(), 'ended') } = options;
  const errors: unknown[] = [];
  const server = { host: '127.0.0.1', port, keys };
  const onError = (error: unknown) => void errors.push(error);
  const app = createApp({ onError, acceptsBodies: FORM_ROUTES, trustProxy });
  const renderForm = (fields: object) => `<form>${JSON.stringify(fields)}</form>`;
  const throttle = createKeyThrottle(clock);
  const authorize = createAuthorize(server, ACCOUNTS, throttle);
  const endedSessions = openEndedSessions(file, { now: clock.now(), onError });
  const login = createLogin({ server, authorize, throttle, endedSessions, clock, renderForm });
  addSecurityHeaders(app, server);
  login.addRoutes(app);
  app.get('/packages/*', async (request, reply) =>
    login.sendLoginForm(request, reply) ? reply : reply.type('text/html').send('<p>packages</p>'),
  );
  app.get('/data.json', async (request, reply) =>
    rejectUnauthorized(login.isAuthenticated, request, reply) ? reply : { points: [] },
  );
  onTestFinished(() => app.close());
  const { url } = await listen(app, { host: '127.0.0.1', port: 0 });
  return { url, clock, errors, file, loginUrl: `${url}/login`, page: `${url}/packages/main` };
}
