/** The OpenAPI document under the linters that users have in their own pipelines. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { buildOpenApi, type OpenApiOptions } from '../../../src/service/server/openapi.ts';

interface Info {
  info: object;
}

const createDocument = (options: Partial<OpenApiOptions> = {}) =>
  buildOpenApi({
    version: '1.2.3',
    keyed: true,
    keyHeaders: [],
    defaultPageSize: 20,
    maxPageSize: 1000,
    ...options,
  }) as Info;

const redocly = await createConfig({ extends: ['recommended'] });
const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [oas as spectralCore.RulesetDefinition] });

/** What breaks the rules of `@redocly/cli`, `recommended`. */
async function lintByRedocly(document: object): Promise<string[]> {
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config: redocly });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

/** What breaks the rules of `spectral:oas`. */
async function lintBySpectral(document: object): Promise<string[]> {
  const problems = await spectral.run(JSON.stringify(document));
  return problems.map(({ code, message }) => `${code}: ${message}`);
}

describe.each([
  ['without keys', { keyed: false }],
  ['with keys, also in headers of accounts', { keyHeaders: ['x-main-key', 'x-$other'] }],
])('the OpenAPI document of a server %s', (_which, options) => {
  it('has no problem under the recommended rules of @redocly/cli', async () => {
    expect(await lintByRedocly(createDocument(options))).toEqual([]);
  });

  it('has no problem under spectral:oas', async () => {
    expect(await lintBySpectral(createDocument(options))).toEqual([]);
  });
});

describe('the linters', () => {
  it('find what is missing', async () => {
    const { info, ...document } = createDocument();
    const poor = {
      ...document,
      info: { ...info, license: undefined, contact: undefined },
      servers: undefined,
    };
    expect((await lintByRedocly(poor)).join()).toMatch(/no-empty-servers.*info-license/);
    expect((await lintBySpectral(poor)).join()).toMatch(/oas3-api-servers.*info-contact/);
  });
});
