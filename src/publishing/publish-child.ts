/** The process of a publication. */
import { serveRequests } from '../lib/child-process.ts';
import type { PublishRequest } from './publish-request.ts';
import { publish } from './publish.ts';

serveRequests((request) => publish(request as PublishRequest)); // as publisher.ts sends it
