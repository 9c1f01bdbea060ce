import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { NO_PROXIES } from '../../src/lib/http/proxies.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { catchConfigError, LEAST, load, readProblems } from '../support/fixtures/load-config.ts';
import { AUTHORITY, SELF_SIGNED, SIGNED } from '../support/fixtures/self-signed.ts';

const ADDRESS =
  'expected an http(s) address such as http://proxy.example.test:3128, or none (no proxy, whatever the environment says)';
const withAccountKey = (line: string) => `${LEAST}    ${line}\n`;

describe('the proxy of an account', () => {
  it.each(['http://proxy.test:3128', 'https://me:word@proxy.test/', 'none'])('may be %s', (proxy) => {
    const config = load(withAccountKey(`proxy: "${proxy}"`));
    expect(config.accounts[0]?.proxy).toBe(proxy);
  });

  it('may come from a variable; its password is secret in all forms that are sent', () => {
    const config = load(withAccountKey('proxy: "http://me:${WORD}@proxy.test:3128"'), { WORD: 'p%40ss' });
    expect(config.accounts[0]?.proxy).toBe('http://me:p%40ss@proxy.test:3128');
    expect(config.secrets).toEqual(
      expect.arrayContaining(['p@ss', Buffer.from('me:p@ss').toString('base64')]),
    );
  });

  it.each([
    ['proxy.test:3128', '"proxy.test:3128" is not valid'],
    ['socks5://proxy.test:1080', '"socks5://proxy.test:1080" is not valid'],
    ['http://proxy.test:3128/path', '"http://proxy.test:3128/path" is not valid'],
    ['http://me:50%@proxy.test', '[hidden] is not valid'],
    ['http://me:%ff@proxy.test', '[hidden] is not valid'],
    ['http://%e4:word@proxy.test', '[hidden] is not valid'],
    ['http://me@proxy.test', '[hidden] is not valid'],
    ['me:word@proxy.test:3128', '[hidden] is not valid'],
    ['false', 'false is not valid'],
    ['', 'is empty'],
  ])('is a problem where it is %s', (proxy, text) => {
    expect(readProblems(withAccountKey(`proxy: ${proxy}`))).toEqual([
      `line 6  accounts[0].proxy: ${text}; ${ADDRESS}`,
    ]);
  });
});

describe('the proxies of the environment', () => {
  it('are read in small letters first, without http:// too; empty ones are none', () => {
    expect(load(LEAST).proxies).toEqual(NO_PROXIES);
    expect(load(LEAST, { HTTPS_PROXY: '', HTTP_PROXY: ' ' }).proxies).toEqual(NO_PROXIES);
    const { proxies } = load(LEAST, {
      HTTPS_PROXY: 'http://upper.test:1',
      https_proxy: 'lower.test:2',
      HTTP_PROXY: 'https://other.test',
      no_proxy: 'a.test,b.test',
    });
    expect(proxies).toEqual({
      httpsProxy: 'http://lower.test:2',
      httpProxy: 'https://other.test',
      noProxy: 'a.test,b.test',
    });
  });

  it('are named where they cannot be used, without the password', () => {
    const socks = catchConfigError(() => load(LEAST, { HTTPS_PROXY: 'socks5://proxy.test:1080' }));
    expect(socks.message).toBe(
      'HTTPS_PROXY in the environment: "socks5://proxy.test:1080" is not the address of an HTTP proxy',
    );
    expect(socks.hint).toContain('HTTPS_PROXY=http://proxy.example.test:3128');
    const broken = catchConfigError(() => load(LEAST, { http_proxy: 'http://me:word@proxy.test:port' }));
    expect(broken.message).toContain('HTTP_PROXY in the environment: [hidden] is not');
    expect(`${broken.message}${broken.hint}`).not.toContain('word');
    const encoded = catchConfigError(() => load(LEAST, { HTTPS_PROXY: 'http://me:word%ff@proxy.test' }));
    expect(encoded.message).toContain('HTTPS_PROXY in the environment: [hidden] is not');
  });
});

it('an entry of NO_PROXY that is not understood is named, where there is a proxy', () => {
  const env = { NO_PROXY: 'localhost,10.0.0/8' };
  expect(load(LEAST, env).proxies.noProxy).toBe(env.NO_PROXY);
  const { message, hint } = catchConfigError(() => load(LEAST, { ...env, HTTPS_PROXY: 'proxy.test:1' }));
  expect(message).toBe('NO_PROXY in the environment: "10.0.0/8" is not understood');
  expect(hint).toContain('10.0.0.0/8');
});

describe('the certificates of an account', () => {
  const loadWith = (files: Record<string, string>, env: Record<string, string> = {}) => {
    const folder = createFolder({ 'vodhouse.yaml': withAccountKey('ca: certs/own.pem'), ...files });
    return loadConfig(join(folder, 'vodhouse.yaml'), env).accounts[0]?.ca?.certificates;
  };

  it('are read from a file next to the config, with what stands around them', () => {
    const bundle = `# Test Authority\r\n${AUTHORITY}\n\nsubject=x\n${SELF_SIGNED.cert}\n${SELF_SIGNED.key}\n`;
    expect(loadWith({ 'certs/own.pem': bundle })).toEqual([AUTHORITY, SELF_SIGNED.cert]);
  });

  it('do not replace those of NODE_EXTRA_CA_CERTS', () => {
    const extra = join(createFolder({ 'extra.pem': SIGNED.cert }), 'extra.pem');
    const env = { NODE_EXTRA_CA_CERTS: extra };
    expect(loadWith({ 'certs/own.pem': AUTHORITY }, env)).toEqual([AUTHORITY, SIGNED.cert]);
  });

  it.each([
    ['is missing', {}],
    ['has only a key', { 'certs/own.pem': SIGNED.key }],
    ['has a garbled one', { 'certs/own.pem': `${AUTHORITY}\n${SIGNED.cert.replace('MII', 'XXX')}` }],
  ])('are a problem where the file %s', (_, files: Record<string, string>) => {
    const { message } = catchConfigError(() => loadWith(files));
    expect(message).toContain('line 6  accounts[0].ca: "certs/own.pem" cannot be used (');
  });
});
