/** The process that publishes. */
import { serveRequests } from '../lib/child-process.ts';
import { publish } from './publish.ts';

serveRequests(publish);
