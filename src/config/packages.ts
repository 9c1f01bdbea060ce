/** The packages of an account, as the config has them: a list, or a CSV file. */
import * as z from 'zod';
import { orNull, section, withDefault } from './sections.ts';
import * as types from './value-types.ts';

/** A distribution package of an account. */
export interface PackageConfig {
  id: number;
  name: string | null;
  /** The cron expression of its full walks; left out: that of schedule.full. */
  full?: string;
}

/** What a package id is, for messages. */
export const PACKAGE_ID = 'a package id (a whole number from 1 up)';
const PACKAGE = `${PACKAGE_ID} or { id, name, schedule }`;
/** An entry of `packages`. */
const onePackage = z.union(
  [
    types.integer(1, PACKAGE).transform((id): PackageConfig => ({ id, name: null })),
    section({
      id: types.integer(1, PACKAGE_ID).describe('Id of the distribution package.'),
      name: orNull(types.nonEmptyText('a name')).describe('Name shown next to the id. Default none.'),
      schedule: orNull(types.cron).describe(
        'When to walk everything of it: cron, read in schedule.timezone. Default: schedule.full.',
      ),
    }).transform(({ id, name, schedule: full }): PackageConfig =>
      full === null ? { id, name } : { id, name, full },
    ),
  ],
  PACKAGE,
);

const fromFile = section({
  file: types.filePath.describe(
    'A CSV file with the columns id, name and schedule, relative to this one; it is read again at each run.',
  ),
});

const PACKAGES = 'a list of packages, or { file: packages.csv }';

export const packages = withDefault(
  z.union([z.array(onePackage, PACKAGES), fromFile], PACKAGES),
  [],
  'The distribution packages: ids, { id, name, schedule }, or { file } with a CSV file of them.',
);
