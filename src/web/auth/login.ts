/** The login: a form takes a key of `server.keys` once; from then on a signed cookie authenticates the browser. */
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerConfig } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';
import { BlockedError, createKeyMatcher, type Authorize } from '../../service/server/api-keys.ts';
import { isCrossSite, isHttps, safeRedirectPath } from './csrf.ts';
import type { EndedSessions } from './ended-sessions.ts';
import type { KeyThrottle } from './key-throttle.ts';
import { createSessions, type Sessions } from './session-cookie.ts';

/** The routes that accept a POST with a form. */
export const FORM_ROUTES = ['/login', '/logout'] as const;

export interface LoginForm {
  /** The path to show after the login. */
  next: string;
  /** Why the last attempt failed, as a sentence. */
  error: string | null;
}

export interface LoginOptions {
  server: Pick<ServerConfig, 'keys' | 'port'>;
  /** Accepts a key of the server in a request. */
  authorize: Authorize;
  /** Counts wrong keys; the same as that of `authorize`. */
  throttle: KeyThrottle;
  endedSessions: EndedSessions;
  clock: Pick<Clock, 'now'>;
  /** Renders a page with a form: POST to `/login`, a password field `key` and a hidden field `next`. */
  renderForm: (form: LoginForm) => string;
}

export type Login = ReturnType<typeof createLogin>;

export function createLogin(options: LoginOptions) {
  const { server, authorize, renderForm } = options;
  const sessions = createSessions(options);
  const sendForm: SendForm = (reply, status, form) => {
    if (status === 401) void reply.header('www-authenticate', 'Bearer');
    return reply.code(status).type('text/html; charset=utf-8').send(renderForm(form));
  };
  /** Accepts a key or the cookie; without `server.keys`, every request. Requires `addRoutes` on the same server. */
  const isAuthenticated: Authorize = (request) =>
    sessions.isAuthenticated(request.headers) || authorize(request);
  return {
    isAuthenticated,
    /** Sends the form with status 401, or 429 after too many wrong keys, unless authenticated; returns true if it did. */
    sendLoginForm: (request: FastifyRequest, reply: FastifyReply): boolean => {
      const next = safeRedirectPath(request.url);
      try {
        if (isAuthenticated(request)) return false;
        void sendForm(reply, 401, { next, error: null });
      } catch (error) {
        sendBlocked(error, reply, next, sendForm);
      }
      return true;
    },
    /** Adds `/login` and `/logout`; nothing without `server.keys`. */
    addRoutes: (app: FastifyInstance): void => {
      if (server.keys.length === 0) return;
      app.addHook('onRequest', async ({ headers }) => sessions.prepare(headers));
      void app.register((scope) => addFormRoutes(scope, options, sessions, sendForm));
    },
  };
}

type SendForm = (reply: FastifyReply, status: number, form: LoginForm) => FastifyReply;

/** Throws an error other than BlockedError again. */
function sendBlocked(error: unknown, reply: FastifyReply, next: string, sendForm: SendForm): FastifyReply {
  if (!(error instanceof BlockedError)) throw error;
  const text = `Too many wrong keys from this address. Try again in ${error.waitSeconds} s.`;
  return sendForm(reply.header('retry-after', error.waitSeconds), 429, { next, error: text });
}

async function addFormRoutes(
  app: FastifyInstance,
  { server, throttle }: LoginOptions,
  sessions: Sessions,
  sendForm: SendForm,
): Promise<void> {
  const findKey = createKeyMatcher(server.keys);
  app.removeAllContentTypeParsers(); // only forms
  await app.register(formbody, { bodyLimit: 1_024 });
  app.addHook('preHandler', async ({ method, headers, body }, reply) => {
    if (method !== 'POST' || !isCrossSite(headers)) return undefined;
    return sendForm(reply, 403, { next: readLoginForm(body).next, error: CROSS_SITE });
  });
  app.get('/login', async (_request, reply) => reply.redirect('/', 303)); // shows the form
  app.post('/login', async ({ body, ip, headers }, reply) => {
    const { key, next } = readLoginForm(body);
    try {
      throttle.assertNotBlocked(ip, [key]);
    } catch (error) {
      return sendBlocked(error, reply, next, sendForm);
    }
    const found = findKey(key);
    if (found === undefined) {
      throttle.recordFailures(ip, [key]);
      return sendForm(reply, 401, { next, error: 'This is not a key of this server.' });
    }
    return redirectWithCookie(reply, next, await sessions.create(found, isHttps(headers)));
  });
  app.post('/logout', async ({ headers }, reply) => {
    sessions.end(headers);
    return redirectWithCookie(reply, '/', sessions.clear(isHttps(headers)));
  });
}

const CROSS_SITE =
  'This form was sent from another site. If it was not, the proxy in front of vodhouse must pass on the host name of ' +
  'the request, as Host or X-Forwarded-Host.';

function redirectWithCookie(reply: FastifyReply, path: string, cookie: string): FastifyReply {
  return reply.header('cache-control', 'no-store').header('set-cookie', cookie).redirect(path, 303);
}

/** Trims the key: a config key has no spaces at its ends, a pasted one may. */
function readLoginForm(body: unknown): { key: string; next: string } {
  const { key, next } = { ...(body as Record<string, unknown> | undefined) };
  return {
    key: typeof key === 'string' ? key.trim() : '',
    next: safeRedirectPath(typeof next === 'string' ? next : ''),
  };
}
