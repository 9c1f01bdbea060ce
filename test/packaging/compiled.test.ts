import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { BUNDLE_RUNNER } from '../../src/lib/child-process.ts';
import { BIN, run } from '../support/processes/child-process.ts';

const RUNNER = fileURLToPath(BUNDLE_RUNNER);

it.each([
  { what: 'a command', args: [BIN, '--version'], options: '', name: 'cli/main' },
  {
    what: 'a worker of the unit',
    args: [BIN, '--version'],
    options: '--max-semi-space-size=4',
    name: 'cli/main',
  },
  {
    what: 'a process that publishes',
    args: ['--heap-growing-percent=100', '--max-semi-space-size=4', RUNNER, 'publishing/child'],
    options: '',
    name: 'publishing/child',
  },
])('$what starts with the code that the build compiled', async ({ args, options, name }) => {
  const env = { ...process.env, NODE_OPTIONS: options, NODE_DEBUG: 'vodhouse' };
  const { code, stderr } = await run(args, { env }).ended;
  expect(code).toBe(0);
  expect(stderr).toContain(`${name}: compiled code was taken`);
});

it('starts where V8 does not take that code', async () => {
  const env = { ...process.env, NODE_DEBUG: 'vodhouse' };
  const args = ['--no-opt', BIN, '--version'];
  const { code, stdout, stderr } = await run(args, { env }).ended;
  expect(stderr).toContain('cli/main: compiled code was rejected');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string });
});
