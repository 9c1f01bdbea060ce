import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { serviceFolder } from '../support/fixtures/command-folder.ts';
import { listPage, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { createTerminalScreen } from '../support/processes/terminal-screen.ts';
import { createGate } from '../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 60_000 });

const CTRL_C = '\x03';
const records = Array.from({ length: 50 }, (_, index) => videoRecord(index + 1));

/** A sync in a terminal (util-linux: script makes a pty) whose first page of five waits for the gate. */
async function startInTerminal() {
  const gate = createGate();
  const script = serveEverything(async (request) => {
    if (request.number > 2) await gate.opened;
    return listPage(request, records);
  });
  const { cwd } = await serviceFolder(script, { storage: false, pageSize: 10, top: 'publish: {}' });
  const command = `'${process.execPath}' '${resolve('bin/vodhouse.js')}' sync`;
  const env = { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm', SHELL: '/bin/sh' };
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd, env });
  onTestFinished(() => void terminal.kill('SIGKILL'));
  const screen = createTerminalScreen();
  terminal.stdout.setEncoding('utf8').on('data', (output: string) => screen.write(output));
  const ended = new Promise<number | null>((done) => terminal.on('close', done));
  const type = (keys: string) => void terminal.stdin.write(keys);
  return { gate, screen, ended, type, shown: () => screen.lines().join('\n') };
}

describe('sync in a terminal', () => {
  it('shows its progress, then the result alone', async () => {
    const { gate, screen, ended, shown } = await startInTerminal();
    await expect.poll(shown).toContain('0/1 packages');
    gate.open();
    expect(await ended).toBe(0);
    expect(screen.states.flat().join('\n')).toMatch(/^publishing published.* …$/m);
    expect(screen.lines()[0]).toMatch(/^run 1: succeeded/);
    expect(screen.lines().at(-1)).toMatch(/^published .*vodhouse\.bi\.db/);
    expect(screen.lines().join('\n')).not.toContain('[');
  });

  it('leaves clean lines after one Ctrl-C, and after a second one', async () => {
    for (const signals of [1, 2]) {
      const { gate, screen, ended, type, shown } = await startInTerminal();
      await expect.poll(shown).toContain('0/1 packages');
      type(CTRL_C);
      await expect.poll(shown).toContain('stopping after the current page; a second signal stops at once');
      if (signals === 2) type(CTRL_C);
      else gate.open();
      expect(await ended).toBe(130);
      expect(screen.lines().filter((line) => line.includes(' packages'))).toEqual([]);
      if (signals === 1) expect(shown()).toMatch(/^run 1: interrupted /m);
    }
  });
});
