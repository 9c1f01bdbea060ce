import { describe, expect, it } from 'vitest';
import { isDay } from '../../src/lib/days.ts';
import { FIGURES } from '../../src/service/service-fields.ts';
import { readStorageDay } from '../../src/service/storage.ts';

const sample = `{"mov_org_cnt":12,"mov_org_size":4.4482871E7,"encoder_cnt":"16","encoder_size":1.0E10,
  "ad_org_cnt":0,"ad_org_size":0.0,"ad_encoder_cnt":0,"ad_encoder_size":0,"image_count":3,"image_size":123,
  "date":"2026-01-31"}`;

function readWith(members = '') {
  return readStorageDay(JSON.stringify({ ...JSON.parse(sample), ...JSON.parse(`{${members}}`) }));
}

/** The sample with more members, as raw JSON. */
const readWithText = (members: string) => readStorageDay(sample.replace('{', `{${members},`));

describe('readStorageDay', () => {
  it('reads the ten figures exactly, as doubles, integers or strings', () => {
    expect(FIGURES).toHaveLength(10);
    expect(readWith()).toMatchObject({
      day: { mov_org_size: 44_482_871, encoder_cnt: 16, encoder_size: 10_000_000_000, ad_org_size: 0 },
    });
  });

  it('reads an absent figure as null, and rejects a day without any', () => {
    expect(readStorageDay('{"date":"2026-01-31","image_size":1}')).toMatchObject({
      day: { image_size: 1, mov_org_cnt: null },
    });
    expect(readStorageDay('{"date":"2026-01-31"}')).toMatchObject({
      refused: { date: '2026-01-31', reason: 'holds none of the figures' },
    });
  });

  it('rejects a date that does not exist, with the date null', () => {
    for (const date of [
      '"2026-02-30"',
      '"2026-1-31"',
      '"20260131"',
      '"2026-01-31T00:00:00Z"',
      'null',
      '20260131',
    ]) {
      expect(readWith(`"date":${date}`)).toMatchObject({ refused: { date: null } });
    }
  });
});

describe('a record that is ambiguous or too deep', () => {
  it('is rejected with its date, where that is known', () => {
    const repeated = sample.replace('{', '{"image_size":5,');
    expect(readStorageDay(repeated)).toMatchObject({ refused: { date: '2026-01-31' } });
    expect(readStorageDay(sample.replace('{', '{"date":"2026-01-30",'))).toMatchObject({
      refused: { date: null },
    });
    const deep = `${'['.repeat(2_300)}${']'.repeat(2_300)}`;
    expect(readWithText(`"mood":${deep}`)).toMatchObject({ refused: { date: '2026-01-31' } });
  });

  it('is read where an undocumented number cannot be held by a double', () => {
    expect(readWithText('"owner_id":1610521604143693812')).toMatchObject({ day: { image_size: 123 } });
    expect(readWithText('"owner_id":1e400').drift).toContainEqual({
      field: 'owner_id',
      kind: 'new',
      text: '1e400',
    });
  });
});

describe('isDay', () => {
  it('accepts leap days and the last day of each month', () => {
    expect(['2024-02-29', '2026-12-31', '0001-01-01'].filter(isDay)).toHaveLength(3);
    expect(['2026-02-29', '2026-02-30', '2026-13-01', '2026-00-10', '', '2026-01-01 '].filter(isDay)).toEqual(
      [],
    );
  });
});
