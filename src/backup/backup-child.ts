/** The process that makes a backup. */
import { serveRequests } from '../lib/child-process.ts';
import { backUp, type BackupRequest } from './backup.ts';

serveRequests(({ path, file }: BackupRequest) => backUp(path, file));
