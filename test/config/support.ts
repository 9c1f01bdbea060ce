import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/lib/errors.ts';

/** The least that a config needs; further lines go after it. */
export const LEAST = `timezone: Asia/Seoul
accounts:
  - name: main
    video_list: { base_url: https://videos.example.test, key: first-key }
    packages: [101]
`;

/** A folder of its own for one test, with the files in it; gone when the test is. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'vodhouse-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Loads the text from a real file, with these variables only. */
export function load(yaml: string, env: Record<string, string | undefined> = {}): Config {
  return loadConfig(join(folderWith({ 'vodhouse.yaml': yaml }), 'vodhouse.yaml'), env);
}

/** The error that `run` ends with; it must be a ConfigError. */
export function errorOf(run: () => unknown): ConfigError {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('there was no error');
}

/** The problem lines of a config, without the heading and in the order of the file. */
export function problemsOf(yaml: string, env: Record<string, string | undefined> = {}): string[] {
  return errorOf(() => load(yaml, env))
    .message.split('\n')
    .slice(1)
    .map((line) => line.trim());
}
