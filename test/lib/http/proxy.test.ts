import { describe, expect, it } from 'vitest';
import { chooseProxy, findProxy, listProxySecrets, proxyAuthorization } from '../../../src/lib/http/proxy.ts';

const http = { url: 'http://plain.test:1', variable: 'HTTP_PROXY' };
const https = { url: 'http://secure.test:2', variable: 'HTTPS_PROXY' };
const ENVIRONMENT = { http, https, noProxy: '' };
const isTaken = (address: string, noProxy: string) => findProxy(address, { http, https, noProxy }) !== null;

describe('the proxy of an address', () => {
  it('is that of its protocol', () => {
    expect(findProxy('http://a.test', ENVIRONMENT)).toBe(http);
    expect(findProxy('https://a.test', ENVIRONMENT)).toBe(https);
    expect(findProxy('https://a.test', { ...ENVIRONMENT, https: null })).toBeNull();
  });

  it('is that of the config, which may be none', () => {
    expect(chooseProxy(null, 'https://a.test', ENVIRONMENT)).toBe(https);
    expect(chooseProxy('none', 'https://a.test', ENVIRONMENT)).toBeNull();
    const own = chooseProxy('http://own.test:3', 'https://a.test', { ...ENVIRONMENT, noProxy: '*' });
    expect(own).toEqual({ url: 'http://own.test:3', variable: null });
  });

  it.each([
    ['https://a.test', 'a.test'],
    ['https://a.test', 'other.test, A.test'],
    ['https://a.test', 'other.test a.test'],
    ['https://sub.a.test', 'a.test'],
    ['https://sub.a.test', '.a.test'],
    ['https://sub.a.test', '*.a.test'],
    ['https://a.test:8443', 'a.test'],
    ['https://a.test:8443', 'a.test:8443'],
    ['https://a.test', 'a.test:443'],
    ['http://127.0.0.1:8330', '127.0.0.1'],
    ['http://10.1.2.3', '10.0.0.0/8'],
    ['http://[::1]:8330', '::1'],
    ['http://[::1]:8330', '[::1]'],
    ['http://[::1]:8330', '[::1]:8330'],
    ['http://[fd00::7]', 'fd00::/8'],
    ['https://a.test', '*'],
  ])('%s is none with NO_PROXY=%s', (address, noProxy) => {
    expect(isTaken(address, noProxy)).toBe(false);
  });

  it.each([
    ['https://a.test', ''],
    ['https://a.test', ','],
    ['https://nota.test', 'a.test'],
    ['https://a.test', 'sub.a.test'],
    ['https://a.test:8443', 'a.test:443'],
    ['https://a.test', 'a.test:80'],
    ['http://11.1.2.3', '10.0.0.0/8'],
    ['http://10.1.2.3', '10.0.0.0/99'],
    ['http://10.1.2.3', 'x/8'],
    ['https://a.test', '10.0.0.0/8'],
    ['http://210.1.2.3', '1.2.3'],
  ])('%s is one with NO_PROXY=%s', (address, noProxy) => {
    expect(isTaken(address, noProxy)).toBe(true);
  });
});

describe('the login of a proxy', () => {
  it('is decoded, and secret', () => {
    const url = 'http://me:p%40ss@proxy.test:1';
    const pair = Buffer.from('me:p@ss').toString('base64');
    expect(proxyAuthorization({ url, variable: null })).toEqual({ 'proxy-authorization': `Basic ${pair}` });
    expect(listProxySecrets(url)).toEqual(['p@ss', pair]);
  });

  it('may be a name alone, and be missing', () => {
    expect(listProxySecrets('http://token@proxy.test:1')).toContain('token');
    expect(listProxySecrets('http://proxy.test:1')).toEqual([]);
    expect(listProxySecrets('none')).toEqual([]);
  });
});
