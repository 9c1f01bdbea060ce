import { errorCode } from './errors.ts';

/** True if a process with this id runs on this machine, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH'; // EPERM: it lives, as another user
  }
}
