/** The rows of `vodhouse check` on the live file, the published file and the backups. */
import type { Config } from '../../config/config.ts';
import { assertFolderExists, measureDiskSpace } from '../../database/files.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { errorMessage, hintLine } from '../../lib/errors.ts';
import { formatAgo, formatBytes } from '../../lib/format.ts';
import { publishedFact } from '../../publishing/about-rows.ts';
import { assertReplaceable } from '../../publishing/replace-file.ts';
import type { Warehouse } from '../../warehouse/warehouse.ts';
import { displayPath } from '../output/output.ts';
import { findLastBackups } from '../../warehouse/statements/backup.ts';
import { findLastRun } from '../../warehouse/statements/run.ts';

export interface FileCheck {
  file: 'live file' | 'published file' | 'backups';
  path: string;
  ok: boolean;
  /** The size of the file, the age of the last one, and the free room on its disk; or what is wrong. */
  result: string;
  hint: string | null;
}

/** Checks the files that the config names, and writes nothing. `now`: milliseconds since 1970. */
export function checkFiles(
  { warehouse: live, publish, backup }: Config,
  warehouse: Pick<Warehouse, 'db'>,
  now: number,
): FileCheck[] {
  const ago = (time: string | null | undefined) => (time ? formatAgo(now - fromTimestamp(time)) : 'never');
  const describePublished = (file: string) => {
    assertReplaceable(live, file);
    return `published: ${ago(publishedFact(file, 'published_at'))}`;
  };
  const describeBackups = (folder: string) => {
    assertFolderExists(folder, 'backup.folder');
    return `last one: ${ago(findLastBackups(warehouse.db).success?.started_at)}`;
  };
  return [
    check('live file', live, () => `last full run: ${ago(findLastRun(warehouse.db, 'full')?.startedAt)}`),
    ...(publish ? [check('published file', publish.file, describePublished)] : []),
    ...(backup ? [check('backups', backup.folder, describeBackups)] : []),
  ];
}

function check(file: FileCheck['file'], path: string, describe: (path: string) => string): FileCheck {
  try {
    const description = describe(path);
    const { file: size, wal, free } = measureDiskSpace(path);
    const sizes = file === 'backups' ? [] : [formatBytes(size + wal)];
    const result = [...sizes, description, `${formatBytes(free)} free on its disk`].join(', ');
    return { file, path: displayPath(path), ok: true, result, hint: null };
  } catch (error) {
    return { file, path: displayPath(path), ok: false, result: errorMessage(error), hint: hintLine(error) };
  }
}
