/** The built file of this folder, also where the sources run: Node cannot run TypeScript in a process of its own. */
export function builtFile(name: string): URL {
  return new URL(`../../../dist/warehouse/publishing/${name}`, import.meta.url);
}
