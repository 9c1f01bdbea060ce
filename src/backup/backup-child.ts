/** The process that makes a backup. */
import { serveRequests } from '../lib/child-process.ts';
import { backUp, type BackupRequest } from './backup.ts';

serveRequests((request) => {
  const { path, file } = request as BackupRequest; // as backUpInChild sends it
  return backUp(path, file);
});
