/** The process that loads a target. */
import { serveRequests } from '../../lib/child-process.ts';
import { loadTarget } from './load-target.ts';

serveRequests(loadTarget);
