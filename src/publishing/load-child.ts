/** The process that loads a target. */
import { serveRequests } from '../lib/child-process.ts';
import { loadTarget } from './load-target.ts';
import type { LoadRequest } from './targets/target.ts';

serveRequests((request) => loadTarget(request as LoadRequest)); // as loader.ts sends it
