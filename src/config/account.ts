/** The config of an account: its addresses, key, packages and limits. */
import * as z from 'zod';
import { FIGURES } from '../service/service-fields.ts';
import { packages } from './packages.ts';
import { orNull, section, withDefault } from './sections.ts';
import * as types from './value-types.ts';

const videoList = section({
  base_url: types.baseUrl.describe('Address of the video list, without the path of the operation.'),
  key: types.key.describe('The API key of this account alone, as ${NAME}.'),
  page_size: withDefault(types.integer(1), 1000, 'Videos to request per page; the service may return fewer.'),
  exclude: withDefault(
    z.array(types.excludedField, 'a list of fields'),
    [],
    'Fields of a video that are not stored, such as one that differs at every read.',
  ),
});

const AUTH = 'none, query or { header: x-api-key }';
const auth = z.union(
  [z.enum(['none', 'query'], AUTH), section({ header: types.headerName.describe('Name of the header.') })],
  AUTH,
);

const storage = section(
  {
    base_url: types.baseUrl.describe('Address of the storage statistics, without the path of the operation.'),
    auth: withDefault(
      auth,
      'none',
      'How storage requests carry the key: none, query (?key=…) or { header: NAME }.',
    ),
    key: types.key.optional().describe('Key of the storage statistics. Default: the key of video_list.'),
    since: orNull(types.day).describe('First day to book, yyyy-mm-dd. Default: yesterday.'),
    settle: withDefault(types.duration, '1h', 'Time after midnight before a past day is booked.'),
    recheck_days: withDefault(types.integer(0), 3, 'Booked days that are compared again each day.'),
    give_up_days: withDefault(
      types.integer(0),
      7,
      'Separate days on which a missing day is requested; then once a month.',
    ),
    optional: withDefault(
      z.array(z.enum(FIGURES, `a figure: ${FIGURES.join(', ')}`), 'a list of figures'),
      [],
      'Figures that a record may lack and still be booked.',
    ),
    plausible_factor: withDefault(
      z.number('a number above 1').gt(1, 'a number above 1'),
      2,
      'A past day waits for a second reading if a figure is further than this factor from its live one.',
    ),
  },
  'settle',
);

const errorCodes = z.array(types.nonEmptyText('an errorCode'), 'a list of errorCode values');

const limits = section(
  {
    concurrency: withDefault(types.integer(1), 4, 'Packages that are walked at a time.'),
    per_second: withDefault(types.requestsOrNull, 5, 'Requests in any second; null: no limit.'),
    per_minute: withDefault(types.requestsOrNull, 120, 'Requests in any minute; null: no limit.'),
    per_day: withDefault(types.requestsOrNull, 20_000, 'Requests in any 24 hours; null: no limit.'),
    max_wait: withDefault(types.duration, '2m', 'The longest wait for the budget before a run is parked.'),
    restricted_codes: withDefault(errorCodes, [], 'errorCode values of the service that mean "restricted".'),
    final_codes: withDefault(errorCodes, [], 'errorCode values of the service that mean "do not retry".'),
  },
  'max_wait',
);

/** One entry of `accounts`. */
export const account = section({
  name: types.accountName.describe('Name of the account in tables, logs and metrics; unique.'),
  was: orNull(types.accountName).describe(
    'Its former name: all its rows get the new one, once. Default none.',
  ),
  video_list: videoList.describe('Where the videos are listed.'),
  storage: orNull(storage).describe('Where storage statistics are read. Leave out for none.'),
  packages,
  proxy: orNull(types.proxy).describe(
    'Proxy of its requests: http(s)://NAME:PASSWORD@HOST:PORT, or none. Default: that of the environment.',
  ),
  ca: orNull(types.filePath).describe(
    'PEM file with certificates of authorities that are trusted too. Default none.',
  ),
  limits: limits.prefault({}).describe('Limits of the requests with this key.'),
})
  .transform(({ storage, packages, ca, ...account }) => ({
    ...account,
    packages: Array.isArray(packages) ? packages : [], // loadConfig reads those of a file
    packagesFile: Array.isArray(packages) ? null : packages.file,
    /** Certificates in PEM; `loadConfig` reads them from the file. */
    ca: ca === null ? null : { file: ca, certificates: [] as string[] },
    storage: storage && { ...storage, key: storage.key ?? account.videoList.key },
  }))
  .superRefine(({ storage, videoList }, context) => {
    if (!storage || typeof storage.auth !== 'object' || types.HEADER_VALUE.test(storage.key)) return;
    const path = [storage.key === videoList.key ? 'video_list' : 'storage', 'key'];
    context.addIssue({ code: 'custom', path, message: types.HEADER_KEY });
  });
