import { onTestFinished, vi } from 'vitest';

/** Records all text that this process writes to stdout and stderr directly. */
export function watchConsole(): string[] {
  const written: string[] = [];
  const record = (text: unknown) => written.push(String(text)) > 0;
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(record),
    vi.spyOn(process.stderr, 'write').mockImplementation(record),
    ...(['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
      vi
        .spyOn(console, name)
        .mockImplementation((...values: unknown[]) => void written.push(values.join(' '))),
    ),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return written;
}
