/** What vodhouse starts as a process or a thread of its own: `run-bundle.js NAME`. */
import { load } from './load.js';

load(process.argv[2]);
