/** The login: a form takes a key of `server.keys` once; from then on a signed cookie authenticates the browser. */
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountConfig, ServerConfig } from '../../config/config.ts';
import type { Clock } from '../../lib/clock.ts';
import { createKeyMatcher, type Authorize } from '../../service/server/api-keys.ts';
import { createAuthorize } from './access.ts';
import { isCrossSite, isHttps, safeRedirectPath } from './csrf.ts';
import { createLoginThrottle } from './login-throttle.ts';
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
  accounts: readonly AccountConfig[];
  clock: Pick<Clock, 'now'>;
  /** Renders a page with a form: POST to `/login`, a password field `key` and a hidden field `next`. */
  renderForm: (form: LoginForm) => string;
}

export interface Login {
  /** Accepts a key or the cookie; without `server.keys`, everybody. Requires `addRoutes` on the same server. */
  isAuthenticated: Authorize;
  /** Sends the form with status 401 unless authenticated; returns true if it did. */
  sendLoginForm(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Adds `/login` and `/logout`; nothing without `server.keys`. */
  addRoutes(app: FastifyInstance): void;
}

export function createLogin({ server, accounts, clock, renderForm }: LoginOptions): Login {
  const sessions = createSessions(server, clock);
  const throttle = createLoginThrottle(clock);
  const findKey = createKeyMatcher(server.keys);
  const hasKey = createAuthorize(server, accounts);
  const isAuthenticated: Authorize = (request) =>
    hasKey(request) || sessions.isAuthenticated(request.headers);

  function sendForm(reply: FastifyReply, status: number, form: LoginForm): FastifyReply {
    if (status === 401) void reply.header('www-authenticate', 'Bearer');
    return reply.code(status).type('text/html; charset=utf-8').send(renderForm(form));
  }

  /** While throttled, the right key is rejected too: otherwise the answer would reveal it. */
  async function login(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { key, next } = readLoginForm(request.body);
    if (isCrossSite(request.headers)) return sendForm(reply, 403, { next, error: CROSS_SITE });
    const waitSeconds = Math.ceil(throttle.getWaitMs(request.ip) / 1000);
    if (waitSeconds > 0) {
      const error = `Too many wrong keys from this address. Try again in ${waitSeconds} s.`;
      return sendForm(reply.header('retry-after', waitSeconds), 429, { next, error });
    }
    const found = findKey(key);
    if (found === undefined) {
      throttle.recordFailure(request.ip);
      return sendForm(reply, 401, { next, error: 'This is not a key of this server.' });
    }
    return redirectWithCookie(reply, next, await sessions.create(found, isHttps(request.headers)));
  }

  async function logout(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (isCrossSite(request.headers)) return sendForm(reply, 403, { next: '/', error: CROSS_SITE });
    return redirectWithCookie(reply, '/', sessions.clear(isHttps(request.headers)));
  }

  return {
    isAuthenticated,
    sendLoginForm: (request, reply) => {
      if (isAuthenticated(request)) return false;
      void sendForm(reply, 401, { next: safeRedirectPath(request.url), error: null });
      return true;
    },
    addRoutes: (app) => {
      if (server.keys.length > 0) addFormRoutes(app, sessions, { login, logout });
    },
  };
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function addFormRoutes(app: FastifyInstance, sessions: Sessions, post: Record<'login' | 'logout', Handler>) {
  app.addHook('onRequest', async ({ headers }) => sessions.prepare(headers));
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers(); // only forms
    await scope.register(formbody, { bodyLimit: 1_024 });
    scope.get('/login', async (_request, reply) => reply.redirect('/', 303)); // shows the form
    scope.post('/login', post.login);
    scope.post('/logout', post.logout);
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
