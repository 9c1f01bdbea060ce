import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listMembers } from '../../src/lib/json-text.ts';
import {
  hasAllFields,
  readVideo,
  videoListAnswer,
  videoListStatus,
  videoRecord,
} from '../../src/service/videos.ts';

const sample = `{"id":7,"cid":"","access_key":"a2","org_access_key":"a1","title":"\\"강의\\" 🔥\\n1",
  "series":null,"author":"","content":"c","tag":"","copyright":null,"rate":"15","cdate":"2025-01-02 03:04:05.6",
  "duration":60000,"etc":null,"thumbnail_url":"https://images.example.test/7.jpg","thumbnail_sheet_url":"",
  "encoding_success":"Y","v_width":1920,"v_height":1080,"v_framerate":29.97,"filesize":4.4482871E9,
  "drm_cid":"","opt":"NONE","preloading":""}`;

/** The sample with members added or replaced by raw JSON. */
function readWith(members = '') {
  const names = new Set(Object.keys(JSON.parse(`{${members}}`) as object));
  const kept = listMembers(sample).filter(([name]) => !names.has(name));
  const own = kept.map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return readVideo(`{${[...own, ...(members === '' ? [] : [members])].join(',')}}`);
}

describe('readVideo', () => {
  it('reads the 24 fields of docs/service.md unchanged', () => {
    expect(Object.keys(videoRecord.shape)).toHaveLength(24);
    expect(readWith()).toStrictEqual({ video: JSON.parse(sample) as unknown, drift: [] });
  });

  it("distinguishes null and '', and reads absent fields as null", () => {
    expect(readWith('"series":"","author":null')).toMatchObject({ video: { series: '', author: null } });
    expect(readVideo('{"id":7}')).toMatchObject({
      video: { id: 7, title: null, duration: null },
    });
  });

  it('stores undocumented fields in extra, also where their names equal internal ones', () => {
    const members = '"reason":"r","account":{"a":[1]},"extra":"e","package_id":null,"constructor":1';
    const read = readWith(members);
    if (!('video' in read)) throw new Error(read.refused.reason);
    expect(JSON.parse(read.video.extra ?? '')).toEqual(JSON.parse(`{${members}}`));
    expect(read.video.id).toBe(7);
  });

  it('rejects an ambiguous id, with the id null', () => {
    for (const id of ['9007199254740993', '1e400', 'null', '0', '-3', '1.5', '"x"']) {
      expect(readWith(`"id":${id}`)).toMatchObject({ refused: { id: null } });
    }
    expect(readWith('"id":"16"')).toMatchObject({ video: { id: 16 } });
  });

  it('rejects values that cannot be stored without loss, and names field and video', () => {
    expect(readWith('"title":"\\ud83d"')).toEqual({
      refused: { id: 7, reason: 'title: holds half of a surrogate pair' },
      drift: [],
    });
    expect(readWith('"duration":1e400')).toMatchObject({
      refused: { id: 7, reason: 'duration: 1e400 is not a whole number that can be stored exactly' },
    });
    expect(readWith('"filesize":9007199254740993')).toMatchObject({
      refused: {
        id: 7,
        reason: 'filesize: 9007199254740993 is not a whole number that can be stored exactly',
      },
    });
  });

  it.each(['""', '" 16"', '"0x10"', '"1e400"', '1e400', 'true', '[]'])('rejects %s for a number', (json) => {
    expect(readWith(`"duration":${json}`)).toMatchObject({ refused: { id: 7 } });
    expect(readWith(`"v_framerate":${json}`)).toMatchObject({ refused: { id: 7 } });
  });

  it('keeps undocumented values as received, with sorted names', () => {
    const numbers = '1610521604143693812,1e400,-0,1.10,0.1000000000000000055,1E5';
    const read = readWith(`"z":[${numbers}], "a" : { "q":"\\u00e9" , "p":"\\ud800" }, "new_\\ud800":1`);
    expect(read).toMatchObject({
      video: { extra: `{"a":{"p":"\\ud800","q":"é"},"new_\\ud800":1,"z":[${numbers}]}` },
    });
  });

  it('keeps the digits of a text field that arrives as a number, and sorts one that is an object', () => {
    expect(readWith('"cid":1610521604143693812')).toMatchObject({ video: { cid: '1610521604143693812' } });
    expect(readWith('"rate":4.50')).toMatchObject({ video: { rate: '4.50' } });
    expect(readWith('"tag":{"b":1,"a":[2.0]}')).toMatchObject({ video: { tag: '{"a":[2.0],"b":1}' } });
  });

  it('keeps names that come twice inside an undocumented value', () => {
    expect(readVideo('{"id":2,"mood":{"b":1,"a":2,"b":3}}')).toMatchObject({
      video: { extra: '{"mood":{"a":2,"b":1,"b":3}}' },
    });
  });

  it('rejects a record that is nested deeper than 1,000 levels', () => {
    const nest = (levels: number) => `{"id":2,"mood":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(readVideo(nest(999))).toMatchObject({ video: { id: 2 } });
    for (const levels of [1_000, 2_300, 200_000]) {
      expect(readVideo(nest(levels))).toMatchObject({ refused: { id: 2 } });
    }
  });

  it('reads excluded fields as null, or not at all', () => {
    expect(readVideo('{"id":2,"title":"a","views":1,"rank":2}', ['title', 'views', 'absent'])).toMatchObject({
      video: { id: 2, title: null, extra: '{"rank":2}' },
    });
  });

  it('reads a record that has all fields of their types, and no others, as it is', () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(2 ** 53, Infinity, -0, 1.5, '\ud800', '16'));
    const name = fc.constantFrom(...Object.keys(videoRecord.shape), 'extra', 'reason');
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 3 }), fc.option(name), (odd, absent) => {
        const record = { ...(JSON.parse(sample) as Record<string, unknown>), ...odd };
        if (absent !== null) Reflect.deleteProperty(record, absent);
        const text = JSON.stringify(record);
        const parsed = JSON.parse(text) as object;
        if (Object.keys(parsed).length === 24 && hasAllFields(parsed)) {
          expect(readVideo(text)).toEqual({ video: parsed, drift: [] });
        }
      }),
    );
  });
});

describe('videoListAnswer', () => {
  const paging = { page: 1, pagesize: 20, totalcount: 0, totalpage: 0 };

  it('reads an envelope whose echo is absent, null or of another shape', () => {
    for (const apiVideoSearchOption of [undefined, null, 'x', { sort_item: 1 }]) {
      const body = { videoInfoList: { apiVideoSearchOption, videoInfoList: [], paging } };
      expect(videoListAnswer.parse(body).videoInfoList.paging).toEqual(paging);
    }
  });

  it('reads the errorInfo where all else is missing', () => {
    const errorInfo = { errorCode: 'InvalidKey', errorMessage: 'no' };
    expect(videoListStatus.parse({ videoInfoList: { errorInfo } }).videoInfoList.errorInfo).toEqual(
      errorInfo,
    );
  });
});
