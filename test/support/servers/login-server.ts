/** A server with one page of packages and the data of its chart, for people who enter a key. */
import { onTestFinished } from 'vitest';
import type { AccountConfig } from '../../../src/config/config.ts';
import { createApp, listen } from '../../../src/service/server/server.ts';
import { rejectUnauthorized } from '../../../src/web/auth/access.ts';
import { addHeaders } from '../../../src/web/security-headers.ts';
import { createLogin, FORM_ROUTES } from '../../../src/web/auth/login.ts';
import { createVirtualClock } from '../clocks/virtual-clock.ts';

export const KEY = 'door-key';

const START = '2026-03-10T12:00:00Z';

const ACCOUNTS = [{ storage: { auth: { header: 'X-Main-Key' } } }] as unknown as AccountConfig[];

/** Answers until the test is over; the form is its fields as JSON, and `errors` what the process would be told. */
export async function openDoor(keys: readonly string[] = [KEY], port = 0) {
  const clock = createVirtualClock(START);
  const errors: unknown[] = [];
  const server = { host: '127.0.0.1', port, keys };
  const app = createApp({ onError: (error) => void errors.push(error), takesBodies: FORM_ROUTES });
  const renderForm = (fields: object) => `<form>${JSON.stringify(fields)}</form>`;
  const people = createLogin({ server, accounts: ACCOUNTS, clock, renderForm });
  addHeaders(app, server);
  people.addRoutes(app);
  app.get('/packages/*', async (request, reply) =>
    people.sendLoginForm(request, reply) ? reply : reply.type('text/html').send('<p>here they are</p>'),
  );
  app.get('/data.json', async (request, reply) =>
    rejectUnauthorized(people.isAuthenticated, request, reply) ? reply : { points: [] },
  );
  onTestFinished(() => app.close());
  const { url } = await listen(app, { host: '127.0.0.1', port: 0 });
  return { url, clock, errors, door: `${url}/enter`, page: `${url}/packages/main` };
}
