import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bookingHistory, runBookingHistory } from '../../support/models/booking-history.ts';
import { rounds } from '../../support/rounds.ts';

describe('a booked day', () => {
  it('never changes and was never invented, whatever the service returns and whenever runs are made', async () => {
    await fc.assert(
      fc.asyncProperty(bookingHistory, async (history) => {
        expect(await runBookingHistory(history)).toEqual([]);
      }),
      { numRuns: rounds(500, 25) },
    );
  }, 1_200_000);
});
