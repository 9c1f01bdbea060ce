/** What a command wrote, call by call, and the files that a power failure can leave of it. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { runCommand } from './crashed-command.ts';

/** A file, whatever its name is. */
interface File {
  before: Buffer;
}

/** A change of a content, a sync (null: of a folder, or of a file elsewhere), or a name in a folder (null: deleted). */
type Operation =
  | { kind: 'write'; file: File; offset: number; data: Buffer }
  | { kind: 'truncate'; file: File; size: number }
  | { kind: 'sync'; file: File | null }
  | { kind: 'name'; path: string; file: File | null };

/** The calls that change files, of which each may fail. */
const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'rename', 'link', 'unlink', 'ftruncate'];

export interface Recording {
  /** How often the busiest thread makes each call. */
  calls: ReadonlyMap<string, number>;
  operations: Operation[];
  /** The files that were there before and were written, by their path in the folder. */
  before: Map<string, File>;
}

const TRACED = 'openat,pwrite64,write,ftruncate,fsync,fdatasync,rename,link,unlink,copy_file_range';

/** Runs the command in the folder, and records what it writes there. */
export async function recordWrites(folder: string, command: readonly string[]): Promise<Recording> {
  const log = `${folder}.strace`;
  const recorder = createRecorder(folder);
  const strace = ['strace', '-f', '-y', '-xx', '-s', '4000000', '-qqq', '-o', log, '-e', `trace=${TRACED}`];
  await runCommand(folder, command, strace);
  const lines = readFileSync(log, 'latin1').split('\n');
  rmSync(log);
  for (const line of lines) recorder.read(line);
  return { operations: recorder.operations, before: recorder.before, calls: countCalls(lines) };
}

/** How often the busiest thread makes each call. */
function countCalls(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  const most = new Map<string, number>();
  for (const line of lines) {
    const [key = '', call = ''] = /^\d+ +(\w+)\(/.exec(line) ?? [];
    if (!CALLS.includes(call)) continue;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    most.set(call, Math.max(count, most.get(call) ?? 0));
  }
  return most;
}

/** To be made before the command runs: it reads what is there. */
function createRecorder(folder: string) {
  const operations: Operation[] = [];
  const before = new Map<string, File>();
  const files = new Map<string, File>();
  const sizes = new Map<File, number>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) before.set(relative(folder, path), { before: readFileSync(path) });
  }
  for (const [path, file] of before) files.set(path, file);
  const add = (operation: Operation) => void operations.push(operation);
  const name = (path: string, file: File | null) => {
    if (file) files.set(path, file);
    else files.delete(path);
    add({ kind: 'name', path, file });
  };
  const sizeOf = (file: File) => sizes.get(file) ?? file.before.length;
  const write = (file: File, data: Buffer, offset = sizeOf(file)) => {
    add({ kind: 'write', file, offset, data });
    sizes.set(file, Math.max(sizeOf(file), offset + data.length));
  };
  const read = (line: string) => {
    const [, call = '', rest = ''] = /^\d+ +(\w+)\((?:AT_FDCWD<[^>]*>, )?(.*)$/.exec(line) ?? [];
    if (call === 'copy_file_range') throw new Error('the bytes of a copy within the kernel are not recorded');
    if (rest.includes(' = -1 ')) return;
    const texts = [...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => fromHex(hex));
    const opened =
      files.get(relative(folder, fromHex(/^\d+<([^>]*)>/.exec(rest)?.[1] ?? '').toString())) ?? null;
    const hasPaths = ['openat', 'link', 'rename', 'unlink'].includes(call);
    const [from = '', to = ''] = hasPaths ? texts.map((text) => relative(folder, text.toString())) : [];
    const [first = Buffer.alloc(0)] = texts;
    const number = Number(/, (\d+)(?:\)| <unfinished)/.exec(rest)?.[1]);
    const isNew =
      rest.includes('O_CREAT') && !files.has(from) && !from.startsWith('..') && !from.endsWith('-shm');
    if (call === 'openat' && isNew) name(from, { before: Buffer.alloc(0) });
    if (call.endsWith('sync')) add({ kind: 'sync', file: opened });
    if (call === 'link' && files.has(from)) name(to, files.get(from) ?? null);
    if (call === 'rename' && files.has(from)) name(to, files.get(from) ?? null);
    if ((call === 'rename' || call === 'unlink') && files.has(from)) name(from, null);
    if (opened === null) return;
    if (call === 'pwrite64') write(opened, first, number);
    if (call === 'write') write(opened, first);
    if (call === 'ftruncate') add({ kind: 'truncate', file: opened, size: number });
    if (call === 'ftruncate') sizes.set(opened, number);
  };
  return { operations, before, read };
}
const fromHex = (text: string): Buffer => Buffer.from(text.replaceAll('\\x', ''), 'hex');

/**
 * Makes a copy of the folder as it was before the command into what a power failure after `count` operations leaves. Content that was
 * not synced since is there or not, as `isKept` says; names are there in their order, at least up to the last sync.
 */
export function failAfter(
  { operations, before }: Recording,
  count: number,
  folder: string,
  isKept: () => boolean,
): void {
  const done = operations.slice(0, count);
  const lastSync = done.findLastIndex(({ kind }) => kind === 'sync');
  const syncedUntil = new Map(
    done.map((operation, index) => [operation.kind === 'sync' ? operation.file : null, index]),
  );
  const [names, contents] = [new Map(before), new Map<File, Buffer>()];
  let areNamesKept = true;
  for (const [index, operation] of done.entries()) {
    if (operation.kind === 'sync') continue;
    if (operation.kind === 'name') {
      areNamesKept &&= index < lastSync || isKept();
      if (areNamesKept && operation.file) names.set(operation.path, operation.file);
      else if (areNamesKept) names.delete(operation.path);
    } else if (index < (syncedUntil.get(operation.file) ?? 0) || isKept()) {
      const { file } = operation;
      contents.set(file, applyTo(contents.get(file) ?? file.before, operation));
    }
  }
  for (const path of before.keys()) if (!names.has(path)) rmSync(join(folder, path));
  for (const [path, file] of names) {
    if (before.get(path) === file && !contents.has(file)) continue; // as it is
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents.get(file) ?? file.before);
  }
}

function applyTo(content: Buffer, operation: Operation & { kind: 'write' | 'truncate' }): Buffer {
  if (operation.kind === 'truncate') {
    const grown = Buffer.alloc(operation.size);
    content.copy(grown);
    return grown;
  }
  const { offset, data } = operation;
  const changed = Buffer.alloc(Math.max(content.length, offset + data.length));
  content.copy(changed);
  data.copy(changed, offset);
  return changed;
}
