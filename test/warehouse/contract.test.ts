import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';

const FIGURES = `mov_org_cnt BIGINT, mov_org_size BIGINT, encoder_cnt BIGINT, encoder_size BIGINT, ad_org_cnt BIGINT,
  ad_org_size BIGINT, ad_encoder_cnt BIGINT, ad_encoder_size BIGINT, image_count BIGINT, image_size BIGINT`;

/** The columns of every state of a video, present or superseded. */
const VIDEO = `account TEXT, package_id BIGINT, id BIGINT, cid TEXT, access_key TEXT, org_access_key TEXT, title TEXT,
  series TEXT, author TEXT, content TEXT, tag TEXT, copyright TEXT, rate TEXT, cdate TEXT, duration BIGINT, etc TEXT,
  thumbnail_url TEXT, thumbnail_sheet_url TEXT, encoding_success TEXT, v_width BIGINT, v_height BIGINT,
  v_framerate REAL, filesize BIGINT, drm_cid TEXT, opt TEXT, preloading TEXT, extra TEXT, first_seen_at TIMESTAMP,
  changed_at TIMESTAMP, removed_at TIMESTAMP, change_seq BIGINT`;

/** CONTRACT.md, "The live file": every table that this version has, its key, and its columns as they are declared. */
const TABLES: [table: string, key: string, columns: string][] = [
  [
    'package',
    'account, package_id',
    `account TEXT, package_id BIGINT, name TEXT, totalcount BIGINT, page_size BIGINT, walked_at TIMESTAMP, order TEXT,
      retired_at TIMESTAMP`,
  ],
  ['video', 'account, package_id, id', VIDEO],
  [
    'video_version',
    'account, package_id, id, change_seq',
    `${VIDEO}, valid_from TIMESTAMP, valid_to TIMESTAMP`,
  ],
  ['storage_day', 'account, date', `account TEXT, date DATE, ${FIGURES}, state TEXT, observed_at TIMESTAMP`],
  [
    'storage_reading',
    'reading_id',
    `reading_id INTEGER, account TEXT, observed_at TIMESTAMP, date DATE, ${FIGURES}`,
  ],
  [
    'storage_discrepancy',
    'discrepancy_id',
    `discrepancy_id INTEGER, account TEXT, date DATE, field TEXT, booked BIGINT, observed BIGINT,
      observed_at TIMESTAMP, resolved_at TIMESTAMP`,
  ],
  [
    'storage_correction',
    'account, date, accepted_at',
    `account TEXT, date DATE, accepted_at TIMESTAMP, ${FIGURES}, reason TEXT`,
  ],
  [
    'storage_gap',
    'account, date',
    `account TEXT, date DATE, first_missed_at TIMESTAMP, last_requested_at TIMESTAMP, given_up_at TIMESTAMP,
      reason TEXT, requested_days BIGINT`,
  ],
  [
    'run',
    'run_id',
    `run_id INTEGER, trigger TEXT, mode TEXT, status TEXT, started_at TIMESTAMP, finished_at TIMESTAMP,
      requests BIGINT, error TEXT`,
  ],
  [
    'walk',
    'walk_id',
    `walk_id INTEGER, run_id INTEGER, account TEXT, package_id BIGINT, mode TEXT, status TEXT, pages BIGINT,
      totalcount BIGINT, added BIGINT, edited BIGINT, unchanged BIGINT, removed BIGINT, restored BIGINT,
      quarantined BIGINT, unsettled BIGINT, held_back BIGINT, requests BIGINT, resumed BOOLEAN, started_at TIMESTAMP,
      finished_at TIMESTAMP, error TEXT`,
  ],
  [
    'request',
    'request_id',
    `request_id INTEGER, account TEXT, at_ms BIGINT, answered_at_ms BIGINT, purpose TEXT, run_id BIGINT,
      package_id BIGINT, page BIGINT, status BIGINT, duration_ms BIGINT, bytes BIGINT`,
  ],
  [
    'removal_candidate',
    'account, package_id, id',
    'account TEXT, package_id BIGINT, id BIGINT, proved_at TIMESTAMP, walk_id BIGINT, held_back BOOLEAN',
  ],
  [
    'quarantine',
    'quarantine_id',
    `quarantine_id INTEGER, account TEXT, stream TEXT, package_id BIGINT, record_id TEXT, page BIGINT, reason TEXT,
      raw TEXT, seen_at TIMESTAMP, resolved_at TIMESTAMP`,
  ],
  [
    'drift',
    'account, stream, field, kind',
    `account TEXT, stream TEXT, field TEXT, kind TEXT, sample TEXT, first_seen_at TIMESTAMP, last_seen_at TIMESTAMP`,
  ],
  ['pause', 'account', 'account TEXT, until TIMESTAMP, reason TEXT'],
];

const split = (list: string) => list.split(',').map((each) => each.trim());

interface Column {
  name: string;
  type: string;
  pk: number;
}

describe('a new live file', () => {
  const path = () => {
    const file = join(temporaryFolder(), 'live.db');
    openWarehouse(file, createVirtualClock('2026-03-01T12:00Z')).close();
    return file;
  };
  const readColumns = (file: string, table: string) =>
    readRows(
      file,
      `select name, upper(type) as type, pk from pragma_table_info('${table}')`,
    ) as unknown as Column[];

  it.each(TABLES)('has the table %s with its key and its declared types', (table, key, expected) => {
    const columns = readColumns(path(), table);
    const declared = columns.map(({ name, type }) => `${name} ${type}`);
    expect(declared).toEqual(expect.arrayContaining(split(expected)));
    const inKey = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    expect(inKey.map(({ name }) => name)).toEqual(split(key));
  });

  it('declares every column of every table of its own by the same few types', () => {
    const file = path();
    const tables = readRows(
      file,
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '\\_\\_%' escape '\\'`,
    );
    expect(tables.length).toBeGreaterThanOrEqual(TABLES.length);
    for (const { name: table } of tables) {
      for (const { name, type } of readColumns(file, String(table))) {
        expect(['BIGINT', 'BOOLEAN', 'DATE', 'INTEGER', 'REAL', 'TEXT', 'TIMESTAMP']).toContain(type);
        if (/_at$|^until$|^valid_/.test(name)) expect(`${table}.${name} ${type}`).toMatch(/TIMESTAMP$/);
        if (/_ms$|_size$|_cnt$|_count$|_seq$/.test(name))
          expect(`${table}.${name} ${type}`).toMatch(/BIGINT$/);
        if (name === 'date') expect(`${table}.${name} ${type}`).toMatch(/DATE$/);
      }
    }
  });
});
