import { describe, expect, it } from 'vitest';
import { judgeClock, getPublishTime } from '../../src/sync/run-clock.ts';
import type { ClockEvidence } from '../../src/service/client/service-clock.ts';

const NONE = { answered: false, offsetMs: null, differenceMs: null, wasOff: false };
const UNDATED = { answered: true, offsetMs: null, differenceMs: null, wasOff: false };
const RIGHT = { answered: true, offsetMs: 0, differenceMs: 0, wasOff: false };
const AHEAD = { answered: true, offsetMs: -86_400_000, differenceMs: -86_400_000, wasOff: true };

const judge = (evidence: ClockEvidence[], isFileAhead = false) =>
  judgeClock(
    evidence.map((each) => ({ clock: { evidence: () => each } })),
    isFileAhead,
  );

describe('the clock of a run', () => {
  it.each([
    ['no answer came', [NONE], { offsetMs: null, isMachineOff: false, isFileWrong: false, mayPrune: false }],
    [
      'no answer is dated',
      [UNDATED],
      { offsetMs: null, isMachineOff: false, isFileWrong: false, mayPrune: true },
    ],
    [
      'all services agree',
      [RIGHT, NONE, UNDATED],
      { offsetMs: null, isMachineOff: false, isFileWrong: false, mayPrune: true },
    ],
    [
      'one service differs',
      [RIGHT, AHEAD],
      { offsetMs: -86_400_000, isMachineOff: false, isFileWrong: false, mayPrune: false },
    ],
    [
      'all differ',
      [AHEAD, UNDATED],
      { offsetMs: -86_400_000, isMachineOff: true, isFileWrong: false, mayPrune: false },
    ],
  ] as const)('where %s', (_what, evidence, expected) => {
    expect(judge([...evidence])).toEqual(expected);
  });

  it('deletes nothing by age where the file is ahead of it', () => {
    expect(judge([RIGHT], true)).toMatchObject({ isFileWrong: true, mayPrune: false });
    expect(judge([UNDATED], true)).toMatchObject({ isFileWrong: false, mayPrune: false });
    expect(judge([RIGHT, AHEAD], true)).toMatchObject({ isFileWrong: false, mayPrune: false });
  });

  it('is the publication time', () => {
    expect(getPublishTime(5, null)).toBe(5);
    expect(getPublishTime(5, judge([RIGHT]))).toBe(5);
    expect(getPublishTime(86_400_005, judge([AHEAD]))).toBe(5);
    expect(getPublishTime(5, judge([RIGHT, AHEAD]))).toBe(5);
  });
});
