/** Processes of our own beside the one that asks. */

/** The built file of this folder, also where the sources run: Node cannot run TypeScript in a process of its own. */
export function builtFile(name: string): URL {
  return new URL(`../../../dist/warehouse/publishing/${name}`, import.meta.url);
}

/**
 * For a process that another one of ours started: it ends with that one, and by it. A signal to the whole group is for the
 * parent, which knows what to do about it.
 */
export function endWithParent(): void {
  process.on('disconnect', () => process.exit());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
}
