/** From the records of a page to rows and refusals. */
import { readVideo, type Video } from '../../service/videos.ts';
import type { VideoPage } from '../../service/client/answers.ts';

export interface ReadRecords {
  videos: Video[];
  refused: { id: number | null; reason: string; raw: string }[];
  /** The id of each record in the order of the page; null where it cannot be read. */
  ids: (number | null)[];
}

/** Reads every record of the page; bad ones come back with the reason and their JSON as received. */
export function readRecords(page: VideoPage): ReadRecords {
  const read: ReadRecords = { videos: [], refused: [], ids: [] };
  for (const [index, record] of page.records.entries()) {
    const result = readVideo(record);
    if ('video' in result) {
      read.videos.push(result.video);
      read.ids.push(result.video.id);
    } else {
      read.refused.push({ ...result.refused, raw: page.raw(index) });
      read.ids.push(result.refused.id);
    }
  }
  return read;
}
