import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOG_EVENTS } from '../../src/lib/log-events.ts';

const namesIn = (cell = '') => (cell.match(/`\w+`/g) ?? []).map((name) => name.slice(1, -1));

/** The keys of each event, as docs/logs.md has them. */
const documented = new Map(
  readFileSync('docs/logs.md', 'utf8')
    .split('## Events')[1]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, event, , keys]) => [namesIn(event)[0] ?? '', namesIn(keys).sort()]),
);

/** The names after `event:` in the sources. */
function readLoggedEvents(): Set<string> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const texts = files.map((name) => readFileSync(join('src', name), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(/event: '(\w+)'/g)].map(([, name = '']) => name)));
}

describe('docs/logs.md', () => {
  it('has every event with its keys, and no others', () => {
    const events = Object.entries(LOG_EVENTS).map(([event, keys]) => [event, [...keys].sort()] as const);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(events));
  });

  it('has no event that nothing logs', () => {
    const logged = readLoggedEvents();
    expect([...documented.keys()].filter((event) => !logged.has(event))).toEqual([]);
  });
});
