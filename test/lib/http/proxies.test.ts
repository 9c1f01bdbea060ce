import { expect, it } from 'vitest';
import { chooseProxies, listProxySecrets, NO_PROXIES } from '../../../src/lib/http/proxies.ts';

it('takes the proxy of the config, or else those of the environment', () => {
  const environment = { httpProxy: 'http://plain.test:1', httpsProxy: 'http://secure.test:2', noProxy: '' };
  expect(chooseProxies(null, environment)).toBe(environment);
  expect(chooseProxies('none', environment)).toBe(NO_PROXIES);
  const own = { httpProxy: 'http://own.test:3', httpsProxy: 'http://own.test:3', noProxy: '' };
  expect(chooseProxies('http://own.test:3', { ...environment, noProxy: '*' })).toEqual(own);
});

it('keeps the password of a proxy secret, in the address and in the header', () => {
  const pair = Buffer.from('me:p@ss').toString('base64');
  expect(listProxySecrets('http://me:p%40ss@proxy.test:1')).toEqual(['p@ss', pair]);
  expect(['http://proxy.test:1', 'none', ''].flatMap(listProxySecrets)).toEqual([]);
});
