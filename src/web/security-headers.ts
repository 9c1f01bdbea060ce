/** What a browser is told to keep to with everything that it shows or runs of the server. */
import type { FastifyInstance } from 'fastify';
import type { ServerConfig } from '../config/config.ts';

/** With every page, style sheet, script and picture. */
const STRICT: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin', // with no-referrer, browsers send our own forms as from `Origin: null`
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': [
    ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'hid', 'magnetometer'],
    ...['microphone', 'midi', 'payment', 'screen-wake-lock', 'serial', 'usb'],
  ]
    .map((feature) => `${feature}=()`)
    .join(', '),
};

const STRICT_TYPES = /^(?:text\/(?:html|css|javascript)|image\/svg\+xml)(?:;|$)/;

/**
 * Adds them to every answer by its content type. A page is never kept where keys are wanted to see it, else only to be
 * asked for again; an answer of any type is what its type says.
 */
export function addHeaders(app: FastifyInstance, { keys }: Pick<ServerConfig, 'keys'>): void {
  const pagesAreKept = keys.length > 0 ? 'no-store' : 'no-cache';
  app.addHook('onSend', async (_request, reply) => {
    const type = String(reply.getHeader('content-type') ?? '');
    void reply.header('x-content-type-options', 'nosniff');
    if (STRICT_TYPES.test(type)) void reply.headers(STRICT);
    if (type.startsWith('text/html')) void reply.header('cache-control', pagesAreKept);
  });
}
