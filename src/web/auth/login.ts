/** Lets people in: by a form in which a key is entered once, and a cookie from there on. */
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountConfig, ServerConfig } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';
import { createKeySearch, type Authorize } from '../../service/server/api-keys.ts';
import { createAuthorize } from './access.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { isByHttps, isCrossSite, safeRedirectPath } from './csrf.ts';
import { createSessions } from './session-cookie.ts';

/** A form goes to these by POST, with a body: `takesBodies` of the server. */
export const FORM_ROUTES = ['/enter', '/leave'] as const;

/** What stands in the form: where it leads to, a path of this server, and what went wrong, as a sentence. */
export interface FormFields {
  to: string;
  said: string | null;
}

export interface LoginParts {
  server: Pick<ServerConfig, 'keys' | 'port'>;
  accounts: readonly AccountConfig[];
  clock: Pick<Clock, 'now'>;
  /** The page with the form: to `/enter` by POST, with a password field `key` and a hidden `to`. */
  renderForm: (fields: FormFields) => string;
}

export interface LoginAccess {
  /** Lets in by the cookie too, wherever `addRoutes` was called; without keys, everybody. */
  isAuthenticated: Authorize;
  /** Answers a request for a page with the form and 401 where nobody is let in: true where that was done. */
  sendLoginForm(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Adds what the form needs; without keys, nothing. */
  addRoutes(app: FastifyInstance): void;
}

/** One door: what the parts become. */
interface LoginContext extends LoginParts {
  sessions: ReturnType<typeof createSessions>;
  guesses: ReturnType<typeof createLoginThrottle>;
  findKey: ReturnType<typeof createKeySearch>;
}

export function createLogin(parts: LoginParts): LoginAccess {
  const { server, accounts, clock, renderForm } = parts;
  const sessions = createSessions(server, clock);
  const door = {
    ...parts,
    sessions,
    guesses: createLoginThrottle(clock),
    findKey: createKeySearch(server.keys),
  };
  const hasKey = createAuthorize(server, accounts);
  const isAuthenticated: Authorize = (request) =>
    hasKey(request) || sessions.isAuthenticated(request.headers);
  return {
    isAuthenticated,
    sendLoginForm: (request, reply) => {
      if (isAuthenticated(request)) return false;
      void sendForm(reply, 401, renderForm({ to: safeRedirectPath(request.url), said: null }));
      return true;
    },
    addRoutes: (app) => {
      if (server.keys.length > 0) addFormRoutes(app, door);
    },
  };
}

function addFormRoutes(app: FastifyInstance, door: LoginContext): void {
  const [enterRoute, leaveRoute] = FORM_ROUTES;
  app.addHook('onRequest', async ({ headers }) => door.sessions.prepare(headers));
  void app.register(async (below) => {
    below.removeAllContentTypeParsers(); // a form is all they take
    await below.register(formbody, { bodyLimit: 1_024 });
    below.get(enterRoute, async (_request, reply) => reply.redirect('/', 303)); // asked for anew
    below.post(enterRoute, async (request, reply) => enter(request, reply, door));
    below.post(leaveRoute, async (request, reply) => leave(request, reply, door));
  });
}

/**
 * A caller that is slowed is not listened to, whatever it enters: else the answer would tell the right key. Who was let in
 * before stays in, and so does who carries a key in any of its other places.
 */
async function enter(
  request: FastifyRequest,
  reply: FastifyReply,
  door: LoginContext,
): Promise<FastifyReply> {
  const { key, to } = fieldsOf(request.body);
  const again = (status: number, said: string) => sendForm(reply, status, door.renderForm({ to, said }));
  if (isCrossSite(request.headers)) return again(403, FROM_ELSEWHERE);
  const waitSeconds = Math.ceil(door.guesses.waitMs(request.ip) / 1000);
  if (waitSeconds > 0) {
    void reply.header('retry-after', waitSeconds);
    return again(429, `Too many wrong keys came from this address. Try again in ${waitSeconds} s.`);
  }
  const found = door.findKey(key);
  if (found === undefined) {
    door.guesses.wrong(request.ip);
    return again(401, 'This is no key of this server.');
  }
  const cookie = await door.sessions.begin(found, isByHttps(request.headers));
  return redirectBack(reply, to, cookie);
}

const FROM_ELSEWHERE =
  'This was sent from a page of another site. If it was not: a proxy before vodhouse has to pass on the name that ' +
  'it is called by, as host or x-forwarded-host.';

async function leave(
  request: FastifyRequest,
  reply: FastifyReply,
  door: LoginContext,
): Promise<FastifyReply> {
  if (isCrossSite(request.headers)) {
    return sendForm(reply, 403, door.renderForm({ to: '/', said: FROM_ELSEWHERE }));
  }
  return redirectBack(reply, '/', door.sessions.end(isByHttps(request.headers)));
}

function redirectBack(reply: FastifyReply, to: string, cookie: string): FastifyReply {
  return reply.header('cache-control', 'no-store').header('set-cookie', cookie).redirect(to, 303);
}

function sendForm(reply: FastifyReply, status: number, page: string): FastifyReply {
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  return reply.code(status).type('text/html; charset=utf-8').send(page);
}

/** No key of a config begins or ends with a space; one that is pasted may. */
function fieldsOf(body: unknown): { key: string; to: string } {
  const { key, to } = { ...(body as Record<string, unknown> | undefined) };
  return {
    key: typeof key === 'string' ? key.trim() : '',
    to: safeRedirectPath(typeof to === 'string' ? to : ''),
  };
}
