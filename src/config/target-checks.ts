/** Problems between the values of targets, and with their files of certificates. */
import { isUnixSocket, parsePostgresUrl, type PostgresAddress } from '../lib/postgres-url.ts';
import { checkAuthority, type Found, type Surroundings } from './authority-check.ts';
import type { SourceMap } from './source-map.ts';
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
  ];
}

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
