/** The second process that writes data files of a lake. */
import { serveRequests } from '../../../lib/child-process.ts';
import { writeForParent } from './write-files.ts';

serveRequests(writeForParent);
