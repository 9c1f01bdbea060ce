/**
 * The same list into SQLite by sqlite-utils, by a plain loop in Python, and by the plainest script for Node: what somebody
 * would write in an afternoon. A peer that is not installed is left out.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { prepareWalk } from '../cases.js';
import { createVodhouse, run } from '../processes.js';

const PACKAGES = 4;
const PYTHON = '/usr/bin/python3'; // Debian's, which has the packages of Debian

const PEERS = {
  'plain node': { command: process.execPath, script: 'plain.js', needs: null },
  'python loop': { command: PYTHON, script: 'loop.py', needs: 'requests' },
  'sqlite-utils': { command: PYTHON, script: 'with_sqlite_utils.py', needs: 'requests, sqlite_utils' },
};

function isInstalled({ needs }) {
  if (needs === null) return true;
  try {
    execFileSync(PYTHON, ['-c', `import ${needs}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const PEER_CASE = {
  name: 'peers',
  about: 'the same list by other means, against the plainest script for Node',
  steps: ['first load', 'unchanged', '1 % changed'],
  open: ({ list, videos }) => {
    const present = Object.entries(PEERS).filter(([, peer]) => isInstalled(peer));
    const missing = Object.keys(PEERS).filter((name) => !present.some(([other]) => other === name));
    if (missing.length > 0)
      console.log(`\n${missing.join(', ')}: left out; apt-get install python3 python3-requests sqlite-utils`);
    let site = null;
    const contenders = present.map(([name, peer]) => [name, (_, folder) => runPeer(peer, list, folder)]);
    return {
      begin: (folder) => void (site = createVodhouse(`${folder}/vodhouse`, list.url, PACKAGES)),
      before: (step) => prepareWalk(list, step, PACKAGES, videos),
      contenders: { ...Object.fromEntries(contenders), vodhouse: () => site.sync() },
    };
  },
};

async function runPeer({ command, script }, { url }, folder) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { seconds, rssMb, stdout } = await run(command, [path, url, PACKAGES, `${folder}/${script}.db`]);
  return { seconds, rssMb, requests: Number(stdout) };
}
