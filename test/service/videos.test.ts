import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readLeniently,
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
  return readVideo({ ...JSON.parse(sample), ...JSON.parse(`{${members}}`) } as unknown);
}

describe('readVideo', () => {
  it('reads the 24 fields of docs/service.md unchanged', () => {
    expect(Object.keys(videoRecord.shape)).toHaveLength(24);
    expect(readWith()).toStrictEqual({ video: JSON.parse(sample) as unknown });
  });

  it("distinguishes null and '', and reads absent fields as null", () => {
    expect(readWith('"series":"","author":null')).toMatchObject({ video: { series: '', author: null } });
    expect(readVideo({ id: 7 })).toMatchObject({
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

  it('stores 30 February and other invalid dates as text', () => {
    for (const cdate of ['2025-02-30 25:61:00.0', '0000-00-00', '']) {
      expect(readWith(`"cdate":"${cdate}"`)).toMatchObject({ video: { cdate } });
    }
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
    });
    expect(readWith('"duration":1e400')).toMatchObject({ refused: { id: 7 } });
    expect(readWith('"new_field":[9007199254740993]')).toMatchObject({ refused: { id: 7 } });
    expect(readWith('"new_\\ud800":1')).toMatchObject({ refused: { id: 7 } });
  });

  it('has the same result with the fast check and with the full one', () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(2 ** 53, Infinity, -0, 1.5, '\ud800', '16'));
    const name = fc.constantFrom(...Object.keys(videoRecord.shape), 'extra', 'reason');
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 3 }), fc.option(name), (odd, absent) => {
        const record = { ...(JSON.parse(sample) as Record<string, unknown>), ...odd };
        if (absent !== null) Reflect.deleteProperty(record, absent);
        expect(readVideo({ ...record })).toEqual(readLeniently({ ...record }));
      }),
    );
  });

  it('rejects other values than records', () => {
    for (const value of [null, 7, 'x', [], undefined]) {
      expect(readVideo(value)).toMatchObject({ refused: { id: null } });
    }
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
