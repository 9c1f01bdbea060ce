/** Receives what a process tells a service manager by sd_notify(3). Node has no unix datagram sockets, python3 has. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { killAfterTest, startProcess } from './child-process.ts';

/** The descriptors that come with a message are closed: `systemd-notify` waits for that. */
const LISTENER = `
import json, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
print('"listening"', flush=True)
while True:
    print(json.dumps(listener.recv(65536).decode()), flush=True)
`;

/** One message: what was assigned, by name. */
export type Notification = Record<string, string>;

/** Listens until the end of the test. `received`: the messages so far, without the barriers between them. */
export async function startNotifyListener(): Promise<{ socket: string; received: () => Notification[] }> {
  const socket = join(temporaryFolder(), 'notify');
  const child = killAfterTest(startProcess('python3', ['-c', LISTENER, socket]));
  const lines = () => child.stdout().split('\n').slice(0, -1);
  await expect.poll(() => lines().length).toBe(1);
  const received = () =>
    lines()
      .slice(1)
      .map((line) => parseNotification(JSON.parse(line) as string))
      .filter((each) => each.BARRIER === undefined);
  return { socket, received };
}

function parseNotification(text: string): Notification {
  const assignments = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(assignments.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
}
