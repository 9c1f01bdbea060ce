import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/lib/redact.ts';
import { createDriftCollector, type DriftedValue } from '../../src/service/drift.ts';
import { readStorageDay, storageRecord } from '../../src/service/storage.ts';
import { readVideo, videoRecord } from '../../src/service/videos.ts';
import { AWKWARD_KEY, formsIn, formsOfKey } from '../support/fixtures/awkward-key.ts';
import { videoRecord as videoOf } from '../support/fixtures/service-responses.ts';

type Type = 'string' | 'time' | 'integer' | 'number';

/** The fields of docs/service.md 2.1 and 2.3, by their types. */
const VIDEO: Record<string, Type> = {
  ...typed('integer', 'id duration v_width v_height filesize'),
  ...typed('number', 'v_framerate'),
  ...typed('string', 'cid access_key org_access_key title series author content tag copyright rate'),
  ...typed('time', 'cdate'),
  ...typed('string', 'etc thumbnail_url thumbnail_sheet_url encoding_success drm_cid opt preloading'),
};
const DAY: Record<string, Type> = {
  ...typed('number', 'mov_org_cnt mov_org_size encoder_cnt encoder_size ad_org_cnt ad_org_size'),
  ...typed('number', 'ad_encoder_cnt ad_encoder_size image_count image_size'),
  ...typed('string', 'date'),
};

function typed(type: Type, names: string): Record<string, Type> {
  return Object.fromEntries(names.split(' ').map((name) => [name, type]));
}

const RECORDS = [
  { name: 'a video', types: VIDEO, read: readVideo, shape: videoRecord.shape },
  { name: 'a storage day', types: DAY, read: readStorageDay, shape: storageRecord.shape },
];

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '16', '\ud800', '2026-01-31', 'null'),
);
const integer = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, -1, 4.4482871e7, 2 ** 53, Infinity));
const fraction = fc.double({ noNaN: true });
const nested = fc.oneof(fc.boolean(), fc.array(fc.jsonValue()), fc.dictionary(text, fc.jsonValue()));
const AS_DOCUMENTED: Record<Type, fc.Arbitrary<unknown>> = {
  string: fc.option(text),
  time: fc.constantFrom(null, '', '2026-01-31 09:30:00.5', '2024-02-29 00:00:00', '2026-01-31T09:30+0900'),
  integer: fc.option(integer),
  number: fc.option(fc.oneof(integer, fraction)),
};
const RETYPED: Record<Type, fc.Arbitrary<unknown>> = {
  string: fc.oneof(integer, fraction, nested),
  time: fc.oneof(integer, fraction, nested),
  integer: fc.oneof(text, nested, fc.constantFrom(0.5, -1.25)),
  number: fc.oneof(text, nested),
};

function createRecord(types: Record<string, Type>) {
  return fc.record(
    Object.fromEntries(Object.entries(types).map(([name, type]) => [name, AS_DOCUMENTED[type]])),
  );
}

/** Changes to a record: removed members, members of another type, added members. */
function createChanges(types: Record<string, Type>) {
  const retyped = (names: string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, RETYPED[types[name] ?? 'string']])));
  const known = fc.shuffledSubarray(Object.keys(types));
  const parts = fc.tuple(known, fc.nat(), fc.nat()).chain(([names, one, other]) => {
    const [from, to] = [one % (names.length + 1), other % (names.length + 1)].sort((a, b) => a - b);
    return fc.tuple(fc.constant(names.slice(0, from)), retyped(names.slice(from, to)));
  });
  const odd = fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'length',
    'ID',
    ' id',
  );
  const name = fc.oneof(odd, fc.string({ maxLength: 20 })).filter((each) => !Object.hasOwn(types, each));
  const added = fc.uniqueArray(fc.tuple(name, fc.jsonValue()), { selector: ([each]) => each, maxLength: 8 });
  return fc.tuple(parts, added).map(([[removed, other], more]) => ({ removed, retyped: other, added: more }));
}

/** Like the result of JSON.parse: every name is an own property, also `__proto__`. */
function setProperty(record: object, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}

/** The JSON text of a record. JSON.stringify has no number that is too large for a double. */
const toText = (record: unknown): string =>
  JSON.stringify(record, (_name, value: unknown) =>
    value === Infinity ? '@1e400' : value === -Infinity ? '@-1e400' : value,
  ).replaceAll(/"@(-?1e400)"/g, '$1');

const named = (drift: readonly DriftedValue[]) => drift.map(({ field, kind }) => `${kind} ${field}`).sort();

describe.each(RECORDS)('$name', ({ types, read, shape }) => {
  it('has the fields of docs/service.md', () => {
    expect(Object.keys(shape).sort()).toEqual(Object.keys(types).sort());
  });

  it('has no drift where it matches the documentation', () => {
    const property = fc.property(createRecord(types), (record) => {
      expect(read(toText(record)).drift).toEqual([]);
    });
    fc.assert(property);
  });

  it('names each field that is added, missing or of another type once, with its kind', () => {
    const property = fc.property(
      createRecord(types),
      createChanges(types),
      (record, { removed, retyped, added }) => {
        const changed = { ...record, ...retyped };
        for (const name of removed) Reflect.deleteProperty(changed, name);
        for (const [name, value] of added) setProperty(changed, name, value);
        const expected = [
          ...removed.map((name) => `missing ${name}`),
          ...Object.keys(retyped).map((name) => `type ${name}`),
          ...added.map(([name]) => `new ${name}`),
        ];
        const { drift } = read(toText(changed));
        expect(named(drift)).toEqual(expected.sort());
        for (const { field, kind, text } of drift) {
          const value: unknown = Object.getOwnPropertyDescriptor(changed, field)?.value;
          expect(text).toBe(kind === 'missing' ? null : toText(value));
        }
      },
    );
    fc.assert(property, { numRuns: 100 });
  });
});

describe('a record', () => {
  it('has drift where a text has another form than documented, however its other fields are', () => {
    for (const cdate of ['02/01/2026', '1767322800', '0000-00-00 00:00:00', '2026-02-30 00:00:00.0', ' ']) {
      const read = readVideo(toText({ ...videoOf(7), cdate }));
      expect(read).toMatchObject({
        video: { id: 7, cdate },
        drift: [{ field: 'cdate', kind: 'form', text: JSON.stringify(cdate) }],
      });
      expect(named(readVideo(toText({ ...videoOf(7), cdate, later: 1 })).drift)).toEqual([
        'form cdate',
        'new later',
      ]);
    }
    expect(named(readVideo(toText({ ...videoOf(7), cdate: 1_767_322_800 })).drift)).toEqual(['type cdate']);
  });
});

/** The drift that a collector returns for records with these fields, all of them new. */
function collect(records: readonly Record<string, unknown>[], clean?: (text: string) => string) {
  const collector = createDriftCollector(clean);
  for (const record of records) {
    collector.add(
      Object.entries(record).map(([field, value]) => ({ field, kind: 'new', text: toText(value) })),
    );
  }
  return collector.list();
}

describe('the drift of a response', () => {
  it('has each field and kind once, with the first sample', () => {
    const collector = createDriftCollector();
    const names = Object.keys(VIDEO).filter((name) => name !== 'filesize');
    const rest = Object.fromEntries(names.map((name) => [name, null]));
    collector.add(readVideo(toText({ ...rest, title: { ko: '강의' }, mood: 'good' })).drift);
    collector.add(readVideo(toText({ ...rest, title: 7, mood: 'bad', filesize: '16' })).drift);
    collector.add(readVideo(toText({ ...rest, filesize: 16 })).drift);
    expect(collector.list()).toEqual([
      { field: 'title', kind: 'type', sample: '{"ko":"강의"}' },
      { field: 'filesize', kind: 'missing', sample: null },
      { field: 'mood', kind: 'new', sample: '"good"' },
      { field: 'filesize', kind: 'type', sample: '"16"' },
    ]);
  });

  it('has at most 50 new fields, and every documented one', () => {
    let validations = 0;
    const collector = createDriftCollector((text) => (validations++, text));
    for (let index = 0; index < 5_000; index++) {
      collector.add([{ field: `field ${index}`, kind: 'new', text: String(index) }]);
    }
    expect(validations).toBe(2 * 50); // of each name, and of each value
    collector.add(Object.keys(VIDEO).map((field) => ({ field, kind: 'type', text: '[]' })));
    expect(collector.list()).toHaveLength(50 + 24);
  });

  it('truncates names to 100 characters and samples to 200, and has the same short name once', () => {
    const long = 'x'.repeat(100);
    const value = 'y'.repeat(100_000);
    expect(collect([{ [long]: 'y'.repeat(198) }])).toEqual([
      { field: long, kind: 'new', sample: `"${'y'.repeat(198)}"` },
    ]);
    const found = collect([{ [`${long}1`]: value }, { [`${long}2`]: 7 }]);
    expect(found).toEqual([{ field: `${'x'.repeat(99)}…`, kind: 'new', sample: `"${'y'.repeat(198)}…` }]);
  });

  it('is well-formed text, wherever it is truncated', () => {
    const surrogates = fc.string({ unit: fc.constantFrom('a', '\ud83d', '\udd25', '🔥'), maxLength: 300 });
    const value = fc.oneof(surrogates, fc.dictionary(surrogates, surrogates, { maxKeys: 3 }));
    const property = fc.property(surrogates, value, (name, inner) => {
      for (const { field, sample } of collect([{ [name]: inner }])) {
        expect(field.isWellFormed() && sample?.isWellFormed()).toBe(true);
        expect(field.length).toBeLessThanOrEqual(100);
        expect(sample?.length).toBeLessThanOrEqual(200);
      }
    });
    fc.assert(property);
    expect(collect([{ [`${'x'.repeat(98)}🔥🔥`]: `${'y'.repeat(197)}🔥🔥` }])).toEqual([
      { field: `${'x'.repeat(98)}\ufffd…`, kind: 'new', sample: `"${'y'.repeat(197)}\ufffd…` },
    ]);
  });

  it('contains no key that the service echoes, in any encoding, in any name, and no half of one', () => {
    const key = `canary-${AWKWARD_KEY}-1f5e`;
    const clean = (text: string) => redact(text, [key]);
    for (const form of Object.values(formsOfKey(key))) {
      for (let before = 0; before <= 200; before += 7) {
        const filler = 'z'.repeat(before);
        const found = collect([{ [`${filler}${form}`]: { [form]: [filler, form] } }], clean);
        const text = JSON.stringify(found);
        expect(formsIn(text, key)).toEqual([]);
        expect(text).not.toContain('canary');
      }
    }
  });

  it('contains no key of digits that arrives as a number', () => {
    const clean = (text: string) => redact(text, ['20260310']);
    const zeros = Array.from({ length: 97 }, () => 0);
    const found = collect([{ key: 20_260_310, keys: [...zeros, 20_260_310] }], clean);
    expect(found.map(({ sample }) => sample)).toEqual(['[key]', `[${'0,'.repeat(97)}[key…`]);
  });
});
