import { describe, expect, it } from 'vitest';
import { createServiceClock, type AnswerDates } from '../../../src/service/client/service-clock.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function openClock() {
  const machine = createVirtualClock('2026-03-10T12:00Z');
  const differences: number[] = [];
  const clock = createServiceClock(machine, (offsetMs) => differences.push(offsetMs));
  const answer = (offsetMs: number | null, rest: Partial<AnswerDates> = {}) =>
    clock.observe({
      dateMs: offsetMs === null ? null : machine.now() + offsetMs,
      ageMs: 0,
      waitedMs: 200,
      ...rest,
    });
  return { machine, clock, differences, answer };
}

describe('the time of the service', () => {
  it("is the machine's, as long as no answer says otherwise", () => {
    const { machine, clock, answer } = openClock();
    expect(clock.evidence()).toEqual({ answered: false, offsetMs: null, wasOff: false });
    expect(answer(null)).toBe(true);
    expect(clock.evidence()).toEqual({ answered: true, offsetMs: null, wasOff: false });
    for (const offsetMs of [0, -1000, 9 * MINUTE_MS, -10 * MINUTE_MS]) expect(answer(offsetMs)).toBe(true);
    expect(clock.evidence()).toEqual({ answered: true, offsetMs: 0, wasOff: false });
    expect(clock.now()).toBe(machine.now());
  });

  it('is taken from two answers that agree, and not from one', () => {
    const { machine, clock, answer } = openClock();
    const mark = clock.mark();
    expect(answer(-3 * DAY_MS)).toBe(false);
    expect(clock.now()).toBe(machine.now());
    machine.advance(1000);
    expect(answer(-3 * DAY_MS)).toBe(true);
    expect(clock.now()).toBeCloseTo(machine.now() - 3 * DAY_MS, -3);
    expect(mark()).toBeCloseTo(machine.now() - 1000 - 3 * DAY_MS, -3);
    expect(clock.evidence()).toMatchObject({ wasOff: true });
  });

  it('is not that of an odd answer, which the next one contradicts', () => {
    const { machine, clock, answer } = openClock();
    answer(0);
    expect(answer(400 * DAY_MS)).toBe(false);
    expect(answer(0)).toBe(true);
    expect(clock.now()).toBe(machine.now());
    expect(clock.evidence()).toEqual({ answered: true, offsetMs: 0, wasOff: false });
  });

  it('is not to be known where every answer has another date, and the run is told so', () => {
    const { machine, clock, answer } = openClock();
    expect([answer(DAY_MS), answer(9 * DAY_MS), answer(20 * DAY_MS)]).toEqual([false, true, true]);
    expect(clock.now()).toBe(machine.now());
    expect(clock.evidence()).toMatchObject({ wasOff: true });
  });

  it('goes back to that of a machine whose clock is set right, after one answer more', () => {
    const { machine, clock, answer } = openClock();
    answer(-DAY_MS);
    answer(-DAY_MS);
    machine.set(clock.now());
    expect([answer(0), answer(0)]).toEqual([false, true]);
    expect(clock.now()).toBe(machine.now());
    expect(clock.evidence().wasOff).toBe(true);
    clock.reset();
    expect(clock.evidence()).toEqual({ answered: false, offsetMs: null, wasOff: false });
  });

  it('is off by nothing where an answer was made while it was waited for', () => {
    const { clock, answer } = openClock();
    for (let each = 0; each < 2; each++) answer(-20 * MINUTE_MS, { waitedMs: 20 * MINUTE_MS });
    expect(clock.evidence()).toMatchObject({ offsetMs: 0, wasOff: false });
  });

  it('takes an answer out of a cache, and one with an `Age` beside a date of now, for what they are', () => {
    const { clock, answer } = openClock();
    expect(answer(-HOUR_MS, { ageMs: HOUR_MS })).toBe(true);
    expect(answer(0, { ageMs: HOUR_MS })).toBe(true);
    expect(clock.evidence()).toMatchObject({ offsetMs: 0, wasOff: false });
  });

  it('is warned of once, above two minutes', () => {
    const { differences, answer } = openClock();
    answer(2 * MINUTE_MS);
    expect(differences).toEqual([]);
    for (let each = 0; each < 3; each++) answer(3 * MINUTE_MS);
    expect(differences).toEqual([3 * MINUTE_MS]);
  });
});
