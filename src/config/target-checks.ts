/** Problems between the values of targets, and with their files of certificates. */
import { isUnixSocket, parsePostgresUrl, type PostgresAddress } from '../lib/postgres-url.ts';
import { checkAuthority, type Found, type Surroundings } from './authority-check.ts';
import { checkLakes } from './lake-checks.ts';
import { KEYS_OF_KINDS, PLACES } from './publish-targets.ts';
import type { Path, SourceMap } from './source-map.ts';
import { at, findRepeated, listAt, textAt } from './written-values.ts';

/** Takes the file as it is written, valid or not. */
export function checkTargets(
  settings: unknown,
  sourceMap: SourceMap,
  toAbsolute: Surroundings['toAbsolute'],
): Found[] {
  const targets = listAt(at(settings, 'publish'), 'targets');
  const pathTo = (index: number, key: string) => ['publish', 'targets', index, key];
  const repeat = (key: string, getValue: (target: unknown) => unknown, what: string) =>
    findRepeated(targets, getValue).map(({ index, first }) => {
      const path = pathTo(index, key);
      return {
        path,
        message: `${sourceMap.displayValue(path)} is ${what.replace('#', `targets[${first}]`)}`,
      };
    });
  return [
    ...repeat('name', (target) => textAt(target, 'name'), 'the name of # too; expected another'),
    ...repeat(
      'postgres',
      getPlace,
      'that of # too, with the same schema; expected another database or schema',
    ),
    ...targets.flatMap((target, index) => {
      const path = pathTo(index, 'ca');
      return checkAuthority(textAt(target, 'ca'), path, sourceMap, toAbsolute);
    }),
    ...targets.flatMap((target, index) => checkSsl(target, (key) => pathTo(index, key))),
    ...targets.flatMap((target, index) => checkKind(target, ['publish', 'targets', index])),
    ...checkLakes(settings, sourceMap, toAbsolute),
  ];
}

/** A target has one place, and only the keys of that. */
function checkKind(target: unknown, path: Path): Found[] {
  if (typeof target !== 'object' || target === null || Array.isArray(target)) return [];
  const [place, ...others] = PLACES.filter((key) => at(target, key) !== undefined);
  if (place === undefined) return [{ path, message: `has no place; expected one of ${PLACES.join(', ')}` }];
  const second = others.map((key) => ({
    path: [...path, key],
    message: `is a second place beside ${place}; expected one of ${PLACES.join(', ')}: write two targets`,
  }));
  if (second.length > 0) return second;
  return KEYS_OF.filter(({ places }) => !places.includes(place)).flatMap(({ places, keys }) =>
    keys
      .filter((key) => at(target, key) !== undefined)
      .map((key) => ({
        path: [...path, key],
        message: `has no meaning with ${place}; expected it with ${places.join(' or ')}, or no ${key}`,
      })),
  );
}

const KEYS_OF: readonly { places: readonly string[]; keys: readonly string[] }[] = [
  { places: ['postgres'], keys: KEYS_OF_KINDS.postgres },
  { places: ['s3'], keys: KEYS_OF_KINDS.s3 },
  { places: ['folder', 's3'], keys: KEYS_OF_KINDS.lake },
];

function getAddress(target: unknown): PostgresAddress | null {
  const parsed = parsePostgresUrl(textAt(target, 'postgres') ?? '');
  return 'address' in parsed ? parsed.address : null;
}

/** The schema that a target loads, whoever logs in. */
function getPlace(target: unknown): string | undefined {
  const address = getAddress(target);
  if (address === null) return undefined;
  const { host, port, database } = address;
  return JSON.stringify([host.toLowerCase(), port, database, textAt(target, 'schema') ?? 'vodhouse']);
}

function checkSsl(target: unknown, pathTo: (key: string) => (string | number)[]): Found[] {
  const [ssl, address] = [textAt(target, 'ssl'), getAddress(target)];
  if (address !== null && isUnixSocket(address) && ssl !== undefined && ssl !== 'off') {
    const message = `${JSON.stringify(ssl)} has no meaning for a unix socket; expected off, or no ssl`;
    return [{ path: pathTo('ssl'), message }];
  }
  const isUnused = ssl === 'off' || ssl === 'no-verify';
  if (textAt(target, 'ca') === undefined || !isUnused) return [];
  const message = `has no meaning with ssl: ${ssl}; expected ssl: verify-full, or no ca`;
  return [{ path: pathTo('ca'), message }];
}
