/** The packages of an account, as the config has them: a list, or a CSV file. */
import { z } from 'zod';
import { orNull, section, withDefault } from './sections.ts';
import { integer, nonEmptyText } from './value-types.ts';

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

export const packages = withDefault(
  z.array(onePackage, 'a list of packages'),
  [],
  'The distribution packages: ids, or { id, name }.',
);
