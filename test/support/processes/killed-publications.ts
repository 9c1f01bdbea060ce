/** Publications that are killed with SIGKILL at random moments, over an existing file. */
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { publishedFact } from '../../../src/publishing/about-rows.ts';
import { publish } from '../../../src/publishing/publish.ts';
import { moduleUrl, runModule, type Child } from './child-process.ts';
import { change, liveFileWith, packageRow, videoRow } from '../fixtures/filled-live-file.ts';
import { execute, readRows, readValue } from '../fixtures/live-file.ts';
import { createPublishRequest } from '../fixtures/published-file.ts';

const VIDEOS = 3000;

/** So often the length of a whole publication is measured again: another process may make the machine slower. */
const MEASURE_EVERY = 10;

/**
 * Kills `count` publications, each after a random part of the time that a whole one takes on this machine; 1: all of it. Returns
 * how many of them had replaced the file.
 */
export async function killPublications(count: number, random: () => number): Promise<number> {
  const path = liveFileWith(packageRow(101), ...Array.from({ length: VIDEOS }, (_, id) => videoRow(id + 1)));
  await publish(createPublishRequest(path));
  let done = 0;
  let tookMs = 0;
  for (let round = 1; round <= count; round++) {
    if (round % MEASURE_EVERY === 1) tookMs = await measurePublication(path);
    const before = publishedFact(createPublishRequest(path).file, 'change_seq');
    execute(
      path,
      `${change(round, '2026-03-02 00:00:00', `title = 'round ${round}'`)}
      update warehouse_state set change_seq = (select max(change_seq) from video);`,
    );
    const after = String(readValue(path, 'select change_seq from warehouse_state'));
    await publishAndKill(path, random() * tookMs);
    const found = publishedFact(createPublishRequest(path).file, 'change_seq');
    expect([before, after]).toContain(found);
    if (found === after) done++;
    checkComplete(createPublishRequest(path).file, Number(found));
  }
  await publish(createPublishRequest(path));
  expect(readdirSync(dirname(path)).filter((name) => name.includes('.new-'))).toEqual([]);
  return done;
}

/** A process that publishes; resolves when it begins. */
async function beginPublication(path: string): Promise<Child> {
  const child = runModule(
    `const { publish } = await import(${JSON.stringify(moduleUrl('publishing/publish.ts'))});
     process.stdout.write('begun');
     await publish(${JSON.stringify(createPublishRequest(path))});
     process.stdout.write('published');`,
  );
  await child.waitForOutput('begun');
  return child;
}

/** Milliseconds from its begin to its end. In a new process, as those that are killed: code that ran before is faster. */
async function measurePublication(path: string): Promise<number> {
  const child = await beginPublication(path);
  const begunAt = performance.now();
  await child.waitForOutput('published');
  const tookMs = performance.now() - begunAt;
  await child.ended;
  return tookMs;
}

async function publishAndKill(path: string, afterMs: number): Promise<void> {
  const child = await beginPublication(path);
  await wait(afterMs);
  child.process.kill('SIGKILL');
  await child.ended;
}

function checkComplete(file: string, changeSeq: number): void {
  expect(readRows(file, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(readValue(file, 'select count(*) from videos')).toBe(VIDEOS);
  expect(readValue(file, 'select max(change_seq) from video_versions')).toBe(changeSeq);
}
