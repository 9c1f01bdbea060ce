/** The packages of an account, as the config has them: a list, or a CSV file. */
import { z } from 'zod';
import { orNull, section, withDefault } from './sections.ts';
import { filePath, integer, nonEmptyText } from './value-types.ts';

const PACKAGE_ID = 'a package id (a whole number from 1 up)';
const PACKAGE = `${PACKAGE_ID} or { id, name }`;
const onePackage = z.union(
  [
    integer(1, PACKAGE).transform((id) => ({ id, name: null })),
    section({
      id: integer(1, PACKAGE_ID).describe('Id of the distribution package.'),
      name: orNull(nonEmptyText('a name')).describe('Name shown next to the id. Default none.'),
    }),
  ],
  PACKAGE,
);

const fromFile = section({
  file: filePath.describe(
    'A CSV file with the columns id and name, relative to this one; it is read again at each run.',
  ),
});

const PACKAGES = 'a list of packages, or { file: packages.csv }';

export const packages = withDefault(
  z.union([z.array(onePackage, PACKAGES), fromFile], PACKAGES),
  [],
  'The distribution packages: ids, { id, name }, or { file } with a CSV file of them.',
);
