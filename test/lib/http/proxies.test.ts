import { expect, it } from 'vitest';
import {
  chooseProxies,
  findProxy,
  findUnknownException,
  listProxySecrets,
  NO_PROXIES,
} from '../../../src/lib/http/proxies.ts';

it('takes the proxy of the config, or else those of the environment', () => {
  const environment = { httpProxy: 'http://plain.test:1', httpsProxy: 'http://secure.test:2', noProxy: '' };
  expect(chooseProxies(null, environment)).toBe(environment);
  expect(chooseProxies('none', environment)).toBe(NO_PROXIES);
  const own = { httpProxy: 'http://own.test:3', httpsProxy: 'http://own.test:3', noProxy: '' };
  expect(chooseProxies('http://own.test:3', { ...environment, noProxy: '*' })).toEqual(own);
});

it.each([
  [
    '127.0.0.0/8',
    ['http://127.0.0.1:1', 'http://127.9.9.9'],
    ['http://128.0.0.1', 'http://127.example.test'],
  ],
  ['127.*', ['http://127.0.0.1'], ['http://128.0.0.1', 'http://127.example.test']],
  ['10.1.*.*', ['http://10.1.2.3'], ['http://10.2.1.1']],
  ['192.168.0.0/23', ['http://192.168.1.255'], ['http://192.168.2.0']],
  ['10.0.0.1', ['http://10.0.0.1:8080'], ['http://110.0.0.1', 'http://10.0.0.10']],
  ['::1', ['http://[::1]:8080'], ['http://[::2]']],
  ['[::1]:8080', ['http://[::1]:8080'], ['http://[::1]']],
  ['[fd00::]', ['http://[fd00:0:0::]'], ['http://[fd00::1]']],
  ['fd00::/8', ['https://[fd12::1]'], ['https://[fe80::1]', 'http://253.0.0.1']],
  ['example.test', ['https://example.test', 'https://a.b.example.test.'], ['https://notexample.test']],
  ['.Example.test', ['https://example.test', 'https://a.EXAMPLE.test'], ['https://example.test.org']],
  ['*.example.test', ['https://example.test', 'https://a.example.test'], ['https://a.example.testing']],
  ['example.test.', ['https://example.test'], ['https://example.test.org']],
  ['localhost', ['http://localhost:3000'], ['http://127.0.0.1']],
  ['example.test:8443', ['https://example.test:8443'], ['https://example.test', 'http://example.test:80']],
  ['example.test:443', ['https://example.test'], ['http://example.test']],
  ['*', ['https://example.test', 'http://[::1]', 'http://10.0.0.1'], []],
  ['a.test, 10.0.0.0/8  b.test', ['http://a.test', 'http://10.2.3.4', 'http://b.test'], ['http://c.test']],
  ['', [], ['http://a.test']],
])('NO_PROXY=%s excepts what it stands for', (noProxy, direct, byProxy) => {
  const proxies = { httpProxy: 'http://proxy.test:1', httpsProxy: 'http://proxy.test:2', noProxy };
  const isDirect = (url: string) => findProxy(new URL(url), proxies) === null;
  expect([direct.filter(isDirect), byProxy.filter(isDirect)]).toEqual([direct, []]);
});

it.each([
  '10.0.0.0/33',
  '10.0.0/8',
  '10.',
  '10.0.0.1-10.0.0.9',
  'http://a.test',
  'a*.test',
  'fd00::/129',
  '<local>',
  '10.*.*.1',
])('the entry %s of NO_PROXY is not understood', (entry) => {
  expect(findUnknownException(`localhost,${entry},b.test`)).toBe(entry);
});

it('hides a short password in addresses only', () => {
  const header = (login: string) => Buffer.from(login).toString('base64');
  expect(listProxySecrets('http://me:a%40@proxy.test:1')).toEqual([':a%40@', header('me:a@')]);
  expect(listProxySecrets('http://me:long@proxy.test:1')).toEqual(['long', header('me:long')]);
});
