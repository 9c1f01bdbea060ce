/** The process that publishes. */
import { serveRequest } from '../lib/child-process.ts';
import { publish } from './publish.ts';

serveRequest(publish);
