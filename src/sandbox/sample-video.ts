/** One video of the simulated account: a function of the seed, its package, its id and its revision. */
import type { VideoRecord } from '../service/server/catalogue.ts';
import { createRandom, hash, STREAM, type Random } from './random.ts';
import * as texts from './sample-texts.ts';

/** The initial state of a package: its videos had the ids from `firstId` up to `lastId`, with gaps. */
export interface PackageSeed {
  seed: number;
  packageId: number;
  firstId: number;
  lastId: number;
  /** When the one with `lastId` was uploaded. */
  newestMs: number;
}

const FIRST_UPLOAD_MS = Date.UTC(2020, 2, 2, 9);

/** The fields that edits change, one for each revision. */
const EDITED = ['title', 'content', 'tag', 'etc'] as const;

const SCREENS = [
  { width: 640, height: 360, bytesPerSecond: 90_000 },
  { width: 1280, height: 720, bytesPerSecond: 280_000 },
  { width: 1920, height: 1080, bytesPerSecond: 650_000 },
  { width: 3840, height: 2160, bytesPerSecond: 2_100_000 },
  { width: 1080, height: 1920, bytesPerSecond: 600_000 },
] as const;

const FRAME_RATES = [30, 29.97, 23.976, 25, 59.94, 60] as const;

/** The record of a video; `revision` 0 is the first, and each later one differs from the one before it. */
export function makeVideo(
  packageSeed: PackageSeed,
  { id, cdate, revision }: { id: number; cdate: string | null; revision: number },
): VideoRecord {
  const random = createRandom(packageSeed.seed, STREAM.video, packageSeed.packageId, id);
  const subject = random.pick(texts.SUBJECTS);
  const record = {
    id,
    cid: random.percent(60) ? `cid-${packageSeed.packageId}-${random.characters(10)}` : makeAbsent(random),
    access_key: random.characters(24),
    org_access_key: random.characters(24),
    ...makeTexts(random, subject),
    cdate: cdate ?? getCreationTime(packageSeed, id),
    ...makeFigures(random),
    ...makePictures(packageSeed.packageId, id, random),
  };
  return revision === 0 ? record : { ...record, ...makeEdits(packageSeed, record, revision) };
}

function makeTexts(random: Random, subject: texts.Subject) {
  return {
    title: random.pick(texts.TITLE_PATTERNS)(subject, 1 + random.nextInt(200)),
    series: random.percent(55) ? `${subject.korean} 시리즈 ${1 + random.nextInt(9)}기` : makeAbsent(random),
    author: random.percent(80) ? random.pick(texts.AUTHORS) : makeAbsent(random),
    content: random.percent(85) ? makeContent(random) : makeAbsent(random),
    tag: random.percent(75) ? subject.tags.slice(random.nextInt(subject.tags.length)).join(',') : '',
    copyright: random.percent(60) ? random.pick(texts.COPYRIGHTS) : makeAbsent(random),
    rate: random.percent(40) ? random.pick(texts.RATES) : makeAbsent(random),
    etc: random.percent(25) ? random.pick(texts.REMARKS) : makeAbsent(random),
  };
}

/** Null and '' both occur for absent optional text fields (docs/service.md 2.1). */
function makeAbsent(random: Random): string | null {
  return random.percent(50) ? null : '';
}

function makeContent(random: Random): string {
  const sentences = Array.from({ length: 1 + random.nextInt(8) }, () => random.pick(texts.SENTENCES));
  return sentences.join(random.pick(texts.SENTENCE_BREAKS));
}

/**
 * Duration in milliseconds; many are whole minutes, so that equal values occur. Some files exceed 2^31 bytes.
 */
function makeFigures(random: Random) {
  const screen = random.pick(SCREENS);
  const duration = random.percent(30) ? 60_000 * (1 + random.nextInt(90)) : 4_000 + random.nextInt(7_200_000);
  return {
    duration,
    encoding_success: random.percent(99) ? 'Y' : 'N',
    v_width: screen.width,
    v_height: screen.height,
    v_framerate: random.pick(FRAME_RATES),
    filesize: Math.floor((duration / 1000) * screen.bytesPerSecond) + random.nextInt(50_000),
  };
}

function makePictures(packageId: number, id: number, random: Random) {
  const folder = `https://images.example.test/${packageId}/${id}/${random.characters(8)}`;
  return {
    thumbnail_url: `${folder}/poster.jpg`,
    thumbnail_sheet_url: random.percent(70) ? `${folder}/sheet_${1 + random.nextInt(4)}.jpg` : '',
    drm_cid: random.percent(15) ? `drm-${random.characters(16)}` : '',
    opt: 'NONE',
    preloading: '',
  };
}

/** The edited fields after a revision: each names the last revision that changed it. */
function makeEdits(
  { seed, packageId }: PackageSeed,
  record: Pick<VideoRecord, (typeof EDITED)[number]> & { id: number },
  revision: number,
): Partial<VideoRecord> {
  const edits: Partial<VideoRecord> = {};
  for (let past = 1; past <= revision; past++) {
    const field = EDITED[hash(seed, STREAM.edit, packageId, record.id, past) % EDITED.length] ?? 'title';
    edits[field] = `${record[field] ?? ''} (수정 ${past})`;
  }
  return edits;
}

/** The first videos were uploaded at a steady pace. */
function getCreationTime({ firstId, lastId, newestMs }: PackageSeed, id: number): string {
  const paceMs = (newestMs - FIRST_UPLOAD_MS) / Math.max(1, lastId - firstId);
  return formatCreationTime(FIRST_UPLOAD_MS + (id - firstId) * paceMs);
}

/** `wallMs`: of the clock on the wall of the account, as if it were UTC. */
export function formatCreationTime(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 21).replace('T', ' ');
}
