/** A client that knows only `/openapi.json`: its random requests get responses as the document describes them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectDescribed } from '../support/openapi-document.ts';
import { fetchResponse, openSite } from '../support/servers/open-web-server.ts';

interface Parameter {
  name: string;
  required: boolean;
  schema: { type?: string; format?: string; enum?: string[]; minimum?: number; maximum?: number };
}
interface Served {
  paths: Record<string, { get: { parameters: Parameter[] } }>;
}
type Pairs = [name: string, value: string][];

const REQUESTS = 500;
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '\0', '-1', '1e9', 'null'),
);

describe('the mirror, asked by its document', () => {
  it('answers every request as described, and none with HTTP 5xx', async () => {
    const { url, errors } = await openSite();
    const served = JSON.parse((await fetchResponse(`${url}/openapi.json`)).text) as Served;
    const statuses = new Map<number, number>();
    const property = fc.asyncProperty(someRequest(served), async (path) => {
      const { status, text } = await fetchResponse(url + path);
      expect(status, path).toBeLessThan(500);
      expectDescribed(path, status, JSON.parse(text));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    await fc.assert(property, { numRuns: REQUESTS, seed: Number(process.env['FUZZ_SEED'] ?? 1) });
    expect(errors).toEqual([]);
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 2);
  });
});

function someRequest({ paths }: Served): fc.Arbitrary<string> {
  const requests = Object.entries(paths).map(([path, { get }]) => {
    const known = fc.tuple(...get.parameters.map(somePairs)).map((pairs) => pairs.flat());
    const unknown = fc.array(fc.tuple(anyText, anyText), { maxLength: 1 }) as fc.Arbitrary<Pairs>;
    const account = fc.constantFrom('', '', '/accounts/main', '/accounts/alone');
    return fc
      .tuple(account, known, unknown)
      .map(([prefix, pairs, more]) => `${prefix}${path}?${toQuery([...pairs, ...more])}`);
  });
  return fc.oneof(...requests);
}

function toQuery(pairs: Pairs): string {
  return new URLSearchParams(
    pairs.map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]),
  ).toString();
}

/** A parameter: mostly once and valid; or left out, repeated, at a limit or invalid. */
function somePairs({ name, required, schema }: Parameter): fc.Arbitrary<Pairs> {
  const value = fc.oneof({ arbitrary: someValue(schema), weight: 6 }, { arbitrary: anyText, weight: 1 });
  const times = fc.oneof(
    { arbitrary: fc.constant(1), weight: 8 },
    { arbitrary: fc.constantFrom(0, 2), weight: required ? 1 : 8 },
  );
  return times.chain((count) =>
    fc.array(fc.tuple(fc.constant(name), value), { minLength: count, maxLength: count }),
  );
}

function someValue({
  type,
  format,
  enum: values,
  minimum = 0,
  maximum = 2 ** 31,
}: Parameter['schema']): fc.Arbitrary<string> {
  if (values) return fc.constantFrom(...values);
  if (format === 'date')
    return fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
  if (type !== 'integer') return anyText;
  return fc
    .oneof(
      fc.constantFrom(7, 101, 104, minimum, minimum - 1, maximum, maximum + 1, 2 ** 53, 1e30),
      fc.integer(),
    )
    .map(String);
}
