/** The OpenAPI document under the linter of `@redocly/cli`, which also checks it by the schema of OpenAPI. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { buildOpenApi, type OpenApiOptions } from '../../../src/service/server/openapi.ts';

const SIZES = { defaultPageSize: 20, maxPageSize: 1000 };

const createDocument = (options: Partial<OpenApiOptions> = {}) =>
  buildOpenApi({ version: '1.2.3', keyed: true, keyHeaders: [], ...SIZES, ...options }) as { info: object };

const config = await createConfig({ extends: ['recommended'] });

async function lint(document: object): Promise<string[]> {
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

it.each([
  ['without keys', { keyed: false }],
  ['with keys, also in headers of accounts', { keyHeaders: ['x-main-key', 'x-$other'] }],
])('the OpenAPI document of a server %s has no problem', async (_which, options) => {
  expect(await lint(createDocument(options))).toEqual([]);
});

it('the linter finds what is missing', async () => {
  const { info, ...document } = createDocument();
  const poor = { ...document, info: { ...info, license: undefined }, servers: undefined };
  expect((await lint(poor)).join()).toMatch(/no-empty-servers.*info-license/);
});
