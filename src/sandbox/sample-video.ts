/** One video of the made-up account: a function of the seed, its package, its id and its revision. */
import type { VideoRecord } from '../service/server/catalogue.ts';
import { createRandom, hash, STREAM, type Random } from './random.ts';
import {
  AUTHORS,
  COPYRIGHTS,
  RATES,
  REMARKS,
  SENTENCE_BREAKS,
  SENTENCES,
  SUBJECTS,
  TITLE_PATTERNS,
  type Subject,
} from './sample-texts.ts';

/** A package as it was at the start: its videos had the ids from `firstId` up to `lastId`, with gaps. */
export interface PackageSeed {
  seed: number;
  packageId: number;
  firstId: number;
  lastId: number;
}

const FIRST_UPLOAD_MS = Date.UTC(2020, 2, 2, 9);
const LAST_UPLOAD_MS = Date.UTC(2025, 5, 30, 18);

/** How far apart later uploads are by their creation time, for each id between them. */
const LATER_UPLOAD_MS = 1_700;

/** What an edit changes: one of these a revision. */
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
export function makeVideo(outline: PackageSeed, id: number, revision: number): VideoRecord {
  const chance = createRandom(outline.seed, STREAM.video, outline.packageId, id);
  const subject = chance.pick(SUBJECTS);
  const record = {
    id,
    cid: chance.percent(60) ? `cid-${outline.packageId}-${chance.characters(10)}` : absent(chance),
    access_key: chance.characters(24),
    org_access_key: chance.characters(24),
    ...makeTexts(chance, subject),
    cdate: createdAt(outline, id),
    ...makeFigures(chance),
    ...makePictures(outline.packageId, id, chance),
  };
  return revision === 0 ? record : { ...record, ...makeEdits(outline, record, revision) };
}

function makeTexts(chance: Random, subject: Subject) {
  return {
    title: chance.pick(TITLE_PATTERNS)(subject, 1 + chance.nextInt(200)),
    series: chance.percent(55) ? `${subject.korean} 시리즈 ${1 + chance.nextInt(9)}기` : absent(chance),
    author: chance.percent(80) ? chance.pick(AUTHORS) : absent(chance),
    content: chance.percent(85) ? makeContent(chance) : absent(chance),
    tag: chance.percent(75) ? subject.tags.slice(chance.nextInt(subject.tags.length)).join(',') : '',
    copyright: chance.percent(60) ? chance.pick(COPYRIGHTS) : absent(chance),
    rate: chance.percent(40) ? chance.pick(RATES) : absent(chance),
    etc: chance.percent(25) ? chance.pick(REMARKS) : absent(chance),
  };
}

/** Null and '' both occur for absent optional text fields (docs/service.md 2.1). */
function absent(chance: Random): string | null {
  return chance.percent(50) ? null : '';
}

function makeContent(chance: Random): string {
  const sentences = Array.from({ length: 1 + chance.nextInt(8) }, () => chance.pick(SENTENCES));
  return sentences.join(chance.pick(SENTENCE_BREAKS));
}

/** Duration in milliseconds; many are whole minutes, so that equal values occur. Some files exceed 2^31 bytes. */
function makeFigures(chance: Random) {
  const screen = chance.pick(SCREENS);
  const duration = chance.percent(30) ? 60_000 * (1 + chance.nextInt(90)) : 4_000 + chance.nextInt(7_200_000);
  return {
    duration,
    encoding_success: chance.percent(99) ? 'Y' : 'N',
    v_width: screen.width,
    v_height: screen.height,
    v_framerate: chance.pick(FRAME_RATES),
    filesize: Math.floor((duration / 1000) * screen.bytesPerSecond) + chance.nextInt(50_000),
  };
}

function makePictures(packageId: number, id: number, chance: Random) {
  const folder = `https://images.example.test/${packageId}/${id}/${chance.characters(8)}`;
  return {
    thumbnail_url: `${folder}/poster.jpg`,
    thumbnail_sheet_url: chance.percent(70) ? `${folder}/sheet_${1 + chance.nextInt(4)}.jpg` : '',
    drm_cid: chance.percent(15) ? `drm-${chance.characters(16)}` : '',
    opt: 'NONE',
    preloading: '',
  };
}

/** What the revisions up to this one have left: every edited field names the last revision that changed it. */
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

function createdAt({ firstId, lastId }: PackageSeed, id: number): string {
  const paceMs = (LAST_UPLOAD_MS - FIRST_UPLOAD_MS) / Math.max(1, lastId - firstId);
  const ms =
    id <= lastId
      ? FIRST_UPLOAD_MS + (id - firstId) * paceMs
      : LAST_UPLOAD_MS + (id - lastId) * LATER_UPLOAD_MS;
  return new Date(ms).toISOString().slice(0, 21).replace('T', ' ');
}
