/** Publications that are killed with SIGKILL at random moments, over an existing file. */
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { publishedFact } from '../../../src/publishing/about-rows.ts';
import { publish } from '../../../src/publishing/publish.ts';
import { moduleUrl, runModule } from './child-process.ts';
import { change, liveFileWith, packageRow, videoRow } from '../fixtures/filled-live-file.ts';
import { execute, readRows, readValue } from '../fixtures/live-file.ts';
import { createPublishRequest } from '../fixtures/published-file.ts';

const VIDEOS = 3000;

/** Kills `count` publications; returns how many of them had replaced the file. */
export async function killPublications(count: number, random: () => number): Promise<number> {
  const path = liveFileWith(packageRow(101), ...Array.from({ length: VIDEOS }, (_, id) => videoRow(id + 1)));
  const before = performance.now();
  await publish(createPublishRequest(path));
  const tookMs = performance.now() - before;
  let done = 0;
  for (let round = 1; round <= count; round++) {
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

/** The process reports its begin, and is killed a given time later. */
async function publishAndKill(path: string, afterMs: number): Promise<void> {
  const child = runModule(
    `const { publish } = await import(${JSON.stringify(moduleUrl('publishing/publish.ts'))});
     process.stdout.write('begun');
     await publish(${JSON.stringify(createPublishRequest(path))});`,
  );
  await child.waitForOutput('begun');
  await wait(afterMs);
  child.process.kill('SIGKILL');
  await child.ended;
}

function checkComplete(file: string, changeSeq: number): void {
  expect(readRows(file, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(readValue(file, 'select count(*) from videos')).toBe(VIDEOS);
  expect(readValue(file, 'select max(change_seq) from video_versions')).toBe(changeSeq);
}
