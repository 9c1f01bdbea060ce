/** The process that makes a backup. */
import { serveRequest } from '../lib/child-process.ts';
import { backUp, type BackupRequest } from './backup.ts';

serveRequest(({ path, file }: BackupRequest) => backUp(path, file));
