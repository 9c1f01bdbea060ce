/** What an error of the file system means for a lake on a folder. */
import { StoreError } from './store.ts';

const MEANINGS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOSPC: ['the disk is full', 'free space there: loads go on by themselves'],
  EDQUOT: ['the quota of the disk is used up', 'free space there: loads go on by themselves'],
  EACCES: [
    'this user may not write there',
    'give the user of vodhouse the right to read and write the folder',
  ],
  EPERM: [
    'this user may not write there',
    'give the user of vodhouse the right to read and write the folder',
  ],
  EROFS: ['the file system is mounted read-only', 'mount it for writing'],
  ENOENT: ['there is no such folder', 'mount its disk; for a new lake: mkdir -p'],
  EIO: ['the disk does not read or write', 'look at the disk: the log of the system says what is wrong'],
  ENOTDIR: ['a part of the path is no folder', 'correct `folder:` of the target'],
};

/** The same error if it is a StoreError already. */
export function toFolderError(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const { code = null, message } = error as NodeJS.ErrnoException;
  const meaning = code === null ? undefined : MEANINGS[code];
  if (!meaning) return new StoreError(`${path}: ${message}`, { code, cause: error });
  const [what, text] = meaning;
  const hint = code === 'ENOENT' ? `${text} ${path}` : text;
  return new StoreError(`${path}: ${what}`, { code, hint, retry: 'hourly', cause: error });
}
