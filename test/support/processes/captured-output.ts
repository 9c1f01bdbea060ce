import { onTestFinished, vi } from 'vitest';

/** Notes what this process writes to its stdout and stderr, past any logger. */
export function watchConsole(): string[] {
  const written: string[] = [];
  const note = (text: unknown) => written.push(String(text)) > 0;
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(note),
    vi.spyOn(process.stderr, 'write').mockImplementation(note),
    ...(['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...words: unknown[]) => void written.push(words.join(' '))),
    ),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return written;
}
