import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runTwinWalks, twinHistory } from '../../support/models/twin-walks.ts';

it('recognising pages by their hash results in the same warehouse as parsing all, through sixty histories', async () => {
  await fc.assert(
    fc.asyncProperty(twinHistory, async (history) => {
      expect(await runTwinWalks(history, false)).toEqual(await runTwinWalks(history, true));
    }),
    { numRuns: 60 },
  );
}, 600_000);
