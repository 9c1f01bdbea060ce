import { describe, expect, it } from 'vitest';
import {
  createServiceClock,
  type AnswerDates,
  type DateDoubt,
} from '../../../src/service/client/service-clock.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../../src/lib/clock.ts';
import { createVirtualClock } from '../../support/clocks/virtual-clock.ts';

function openClock() {
  const machine = createVirtualClock('2026-03-10T12:00Z');
  const differences: number[] = [];
  const clock = createServiceClock(machine, (offsetMs) => differences.push(offsetMs));
  /** A response whose date differs by this from the machine's clock, two seconds after the previous one. */
  const answer = (
    offsetMs: number | null,
    rest: Partial<AnswerDates> = {},
    doubt: DateDoubt | null = null,
  ) => {
    machine.advance(2000);
    const dateMs = offsetMs === null ? null : machine.now() + offsetMs;
    return clock.observe({ dateMs, ageMs: 0, waitedMs: 200, ...rest }, doubt);
  };
  /** Two responses to one request: the second is fetched because of the first. True if it was. */
  const twice = (first: number, second: number, rest: Partial<AnswerDates> = {}) => {
    const doubt = answer(first);
    if (doubt) expect(answer(second, rest, doubt)).toBeNull();
    return doubt !== null;
  };
  return { machine, clock, differences, answer, twice };
}

describe('the time of the service', () => {
  it("is the machine's, as long as no response contradicts it", () => {
    const { machine, clock, answer } = openClock();
    const nothing = { answered: false, offsetMs: null, differenceMs: null, wasOff: false };
    expect(clock.evidence()).toEqual(nothing);
    expect(answer(null)).toBeNull();
    expect(clock.evidence()).toEqual({ ...nothing, answered: true });
    for (const offsetMs of [0, 9 * MINUTE_MS, -10 * MINUTE_MS]) expect(answer(offsetMs)).toBeNull();
    expect(clock.evidence()).toMatchObject({ offsetMs: 0, wasOff: false });
    expect(clock.evidence().differenceMs).toBeCloseTo(-10 * MINUTE_MS, -3);
    expect(clock.now()).toBe(machine.now());
  });

  it('is taken from two responses that agree, and not from one', () => {
    const { machine, clock, answer } = openClock();
    const mark = clock.mark();
    const doubt = answer(-3 * DAY_MS);
    expect(doubt).not.toBeNull();
    expect(clock.now()).toBe(machine.now());
    expect(answer(-3 * DAY_MS, {}, doubt)).toBeNull();
    expect(clock.now()).toBeCloseTo(machine.now() - 3 * DAY_MS, -3);
    expect(mark()).toBeCloseTo(machine.now() - 4000 - 3 * DAY_MS, -3);
    expect(clock.evidence()).toMatchObject({ wasOff: true });
  });

  it('is not that of a wrong response, which the next one contradicts', () => {
    const { machine, clock, answer, twice } = openClock();
    answer(0);
    expect(twice(400 * DAY_MS, 0)).toBe(true);
    expect(clock.now()).toBe(machine.now());
    expect(clock.evidence()).toMatchObject({ offsetMs: 0, wasOff: false });
  });

  it('is unknown where every response has another date, and the run is warned', () => {
    const { machine, clock, twice } = openClock();
    expect(twice(DAY_MS, 9 * DAY_MS)).toBe(true);
    expect(clock.now()).toBe(machine.now());
    expect(clock.evidence()).toMatchObject({ offsetMs: null, wasOff: true });
  });

  it('is not that of an old response that a cache repeats', () => {
    const { machine, clock, answer } = openClock();
    answer(0);
    const doubt = answer(-HOUR_MS);
    expect(answer(null, { dateMs: doubt?.dateMs ?? 0 }, doubt)).toBeNull();
    expect(clock.now()).toBe(machine.now());
    expect(clock.evidence()).toMatchObject({ offsetMs: 0, wasOff: false });
    clock.reset(); // where no response has agreed with the machine yet, the machine may be wrong
    const first = answer(-HOUR_MS);
    answer(null, { dateMs: first?.dateMs ?? 0 }, first);
    expect(clock.now()).toBe(machine.now());
    expect(clock.evidence()).toMatchObject({ offsetMs: null, wasOff: true });
  });

  it('is not that of one wrong server, once others have agreed with the machine', () => {
    const { machine, clock, answer, twice } = openClock();
    answer(0);
    expect(twice(-HOUR_MS, -HOUR_MS)).toBe(true);
    expect(clock.now()).toBe(machine.now());
    expect(clock.evidence()).toMatchObject({ offsetMs: 0, wasOff: true });
  });

  it('costs one repeated request per response, and no more, in any sequence', () => {
    const { answer } = openClock();
    answer(0);
    const doubt = answer(-HOUR_MS);
    for (let each = 0; each < 5; each++) expect(answer(0)).toBeNull();
    expect(answer(-HOUR_MS, {}, doubt)).toBeNull();
  });

  it('returns to that of a machine whose clock is corrected, after one more response', () => {
    const { machine, clock, twice } = openClock();
    twice(-DAY_MS, -DAY_MS);
    machine.set(clock.now());
    expect(twice(0, 0)).toBe(true);
    expect(clock.now()).toBe(machine.now());
    expect(clock.evidence().wasOff).toBe(true);
    clock.reset();
    expect(clock.evidence()).toMatchObject({ answered: false, offsetMs: null, wasOff: false });
  });

  it('has no offset where a response was made during its request', () => {
    const { clock, answer } = openClock();
    expect(answer(-20 * MINUTE_MS, { waitedMs: 20 * MINUTE_MS })).toBeNull();
    expect(clock.evidence()).toMatchObject({ offsetMs: 0, differenceMs: 0, wasOff: false });
  });

  it('recognizes a cached response, and one with an `Age` next to a current date', () => {
    const { clock, answer } = openClock();
    expect(answer(-HOUR_MS, { ageMs: HOUR_MS })).toBeNull();
    expect(answer(0, { ageMs: HOUR_MS })).toBeNull();
    expect(clock.evidence()).toMatchObject({ offsetMs: 0, wasOff: false });
  });

  it('causes one warning, above two minutes', () => {
    const { differences, answer } = openClock();
    answer(2 * MINUTE_MS);
    expect(differences).toEqual([]);
    for (let each = 0; each < 3; each++) answer(3 * MINUTE_MS);
    expect(differences).toEqual([3 * MINUTE_MS]);
  });
});
