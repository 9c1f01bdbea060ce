/** What vodhouse starts as a process or a thread of its own: `part.js NAME`. */
import { load } from './load.js';

load(process.argv[2]);
