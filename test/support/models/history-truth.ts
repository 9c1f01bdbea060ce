/**
 * What happened in a history of the sandbox, from the service's own lists at each run: the reference for SQL.
 */
import type { VideoRecord } from '../../../src/service/server/catalogue.ts';
import type { Step } from './sandbox-history.ts';

/** A video as a package listed it. */
export interface Listed {
  package_name: string;
  video: VideoRecord;
}

/** A video that disappeared between two runs, and when it was first missing, and listed again. */
export interface Removal {
  package_name: string;
  id: number;
  /** UTC to the minute, as the file has it: `2026-03-06 01:00`. */
  removed: string;
  returned: string | null;
}

const NAMES = new Map([
  [101, 'Lectures'],
  [102, 'Campaigns'],
]);

/** `2026-03-06 01:00` for `2026-03-06T01:00Z`. */
function formatMinute({ at }: Step): string {
  return at.slice(0, 16).replace('T', ' ');
}

/** All videos that the service lists at a run, by package and id. */
export function listedAt({ lists }: Step): Listed[] {
  return [...lists].flatMap(([id, list]) =>
    list
      .toSorted((one, other) => one.id - other.id)
      .map((video) => ({ package_name: NAMES.get(id) ?? '', video })),
  );
}

const getKey = ({ package_name, video }: Listed) => `${package_name}/${video.id}`;
const byKey = (step: Step) => new Map(listedAt(step).map((listed) => [getKey(listed), listed]));

/** The runs in pairs of neighbours. */
function listPairs(steps: readonly Step[]): { before: Map<string, Listed>; after: Step }[] {
  return steps.slice(1).map((after, index) => ({ before: byKey(steps[index] ?? after), after }));
}

/** Every removal in order of its run. */
export function removalsIn(steps: readonly Step[]): Removal[] {
  return listPairs(steps).flatMap(({ before, after }) => {
    const now = byKey(after);
    const later = steps.slice(steps.indexOf(after) + 1);
    return [...before.values()]
      .filter((listed) => !now.has(getKey(listed)))
      .map((listed) => {
        const back = later.find((step) => byKey(step).has(getKey(listed)));
        return {
          package_name: listed.package_name,
          id: listed.video.id,
          removed: formatMinute(after),
          returned: back ? formatMinute(back) : null,
        };
      });
  });
}
