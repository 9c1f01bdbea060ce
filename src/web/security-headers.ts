/** Response headers that restrict what a browser does with the responses. */
import type { FastifyInstance } from 'fastify';
import type { ServerConfig } from '../config/config.ts';

/** The headers of pages, style sheets, scripts and images. */
const STRICT: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const STRICT_TYPES = /^(?:text\/(?:html|css|javascript)|image\/svg\+xml)(?:;|$)/;

/**
 * The headers of a response, by its content type. Browsers must not store pages if `server.keys` is set, and
 * must revalidate them otherwise.
 */
export function addSecurityHeaders(app: FastifyInstance, { keys }: Pick<ServerConfig, 'keys'>): void {
  const pageCaching = keys.length > 0 ? 'no-store' : 'no-cache';
  app.addHook('onSend', async (_request, reply) => {
    const type = String(reply.getHeader('content-type') ?? '');
    void reply.header('x-content-type-options', 'nosniff');
    if (STRICT_TYPES.test(type)) void reply.headers(STRICT);
    if (type.startsWith('text/html')) void reply.header('cache-control', pageCaching);
  });
}
