import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.ts';

/** A sandbox that listens until the end of the test; by default with three small packages. */
export async function startSandbox(
  options: Partial<SandboxOptions> = {},
): Promise<{ url: string; sandbox: Sandbox }> {
  const packages = [
    { id: 101, videos: 250 },
    { id: 102, videos: 30 },
    { id: 103, videos: 0 },
  ];
  const sandbox = createSandbox({ clock: systemClock, packages, ...options });
  const { url } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  return { url, sandbox };
}
