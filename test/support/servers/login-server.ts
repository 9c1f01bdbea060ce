/** A server with a login, one page, and data. */
import { onTestFinished } from 'vitest';
import type { AccountConfig } from '../../../src/config/config.ts';
import { createApp, listen } from '../../../src/service/server/server.ts';
import { rejectUnauthorized } from '../../../src/web/auth/access.ts';
import { addSecurityHeaders } from '../../../src/web/security-headers.ts';
import { createLogin, FORM_ROUTES } from '../../../src/web/auth/login.ts';
import { createVirtualClock } from '../clocks/virtual-clock.ts';

export const KEY = 'server-key-of-20-char';

const START = '2026-03-10T12:00:00Z';

const ACCOUNTS = [{ storage: { auth: { header: 'X-Main-Key' } } }] as unknown as AccountConfig[];

/** Closes after the test. Forms are rendered as JSON; `errors` collects the arguments of `onError`. */
export async function openLoginServer(keys: readonly string[] = [KEY], port = 0) {
  const clock = createVirtualClock(START);
  const errors: unknown[] = [];
  const server = { host: '127.0.0.1', port, keys };
  const app = createApp({ onError: (error) => void errors.push(error), acceptsBodies: FORM_ROUTES });
  const renderForm = (fields: object) => `<form>${JSON.stringify(fields)}</form>`;
  const login = createLogin({ server, accounts: ACCOUNTS, clock, renderForm });
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
  return { url, clock, errors, loginUrl: `${url}/login`, page: `${url}/packages/main` };
}
