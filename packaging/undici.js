/**
 * The part of undici that vodhouse uses, in place of its index in the bundle: that one loads fetch, WebSocket and mocks too, which
 * a run of one package pays with 30 ms and 8 MB.
 */
import api from '../node_modules/undici/lib/api/index.js';
import errors from '../node_modules/undici/lib/core/errors.js';
import Agent from '../node_modules/undici/lib/dispatcher/agent.js';
import Dispatcher from '../node_modules/undici/lib/dispatcher/dispatcher.js';
import Pool from '../node_modules/undici/lib/dispatcher/pool.js';
import ProxyAgent from '../node_modules/undici/lib/dispatcher/proxy-agent.js';

Object.assign(Dispatcher.prototype, api);

/** `request` of undici, always with a dispatcher. */
const request = (url, { dispatcher, method = 'GET', ...options }) =>
  dispatcher.request({ ...options, method, origin: url.origin, path: `${url.pathname}${url.search}` });

export { Agent, errors, Pool, ProxyAgent, request };
