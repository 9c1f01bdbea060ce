import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveExportFile } from '../../src/cli/commands/export.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { liveFileWith } from '../support/fixtures/filled-live-file.ts';

describe('the file of an export', () => {
  it('is never one that vodhouse needs', () => {
    const live = liveFileWith();
    const folder = createFolder({ 'vodhouse.yaml': '', '.env': 'KEY=x', 'data.csv': 'earlier' });
    const at = (name: string) => join(folder, name);
    const resolve = (out: string) => resolveExportFile(out, at('vodhouse.yaml'));
    symlinkSync(live, at('link.csv'));
    mkdirSync(at('folder'));
    for (const name of [live, ...['link.csv', 'folder', 'vodhouse.yaml', '.env', 'vodhouse.db-wal'].map(at)])
      expect(() => resolve(name), name).toThrow('an export does not replace it');
    for (const name of ['data.csv', 'new.parquet', 'none/new.csv']) expect(resolve(at(name))).toBe(at(name));
    writeFileSync(at('data.csv'), 'text, and no database');
    expect(resolve(at('data.csv'))).toBe(at('data.csv'));
    expect(readFileSync(at('vodhouse.yaml'), 'utf8')).toBe('');
  });
});
