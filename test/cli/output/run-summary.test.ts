import { describe, expect, it } from 'vitest';
import type { Shown } from '../../../src/cli/output/select-walks.ts';
import { summaryText } from '../../../src/cli/output/run-summary.ts';
import { displayWidth, escapeControls, truncate } from '../../../src/lib/format.ts';
import type { RunSummary } from '../../../src/sync/run.ts';

type Walk = RunSummary['walks'][number];

/** A walk of package 101 that succeeded and found nothing new. */
function walk(members: Partial<Walk> = {}): Walk {
  const counts = { inserted: 0, updated: 0, unchanged: 0, removed: 0, restored: 0, quarantined: 0 };
  const checkpoint = { checkpoint_id: 1, checkpoint_page: 1, page_size: 1000, resumed_from_id: null };
  const times = { started_at: '2026-03-01 12:00:00', finished_at: '2026-03-01 12:00:01' };
  const key = { walk_id: 1, run_id: 1, account: 'main', package_id: 101 };
  const rest = {
    pages: 1,
    totalcount: 0,
    unsettled: 0,
    held_back: 0,
    recognised: 0,
    requests: 1,
    resumed: false,
  };
  const end = { mode: 'full' as const, status: 'succeeded' as const, error: null, unread_reason: null };
  const origin = { origin_started_at: times.started_at, order_violated: false };
  return { ...key, ...counts, ...rest, ...end, ...checkpoint, ...times, ...origin, ...members };
}

function formatLines(
  walks: Walk[],
  options: { columns?: number; failures?: RunSummary['failures']; name?: string; shown?: Shown } = {},
): string[] {
  const { columns, failures = [], name = null, shown = 'all' } = options;
  const rest = { mode: 'full' as const, packagesDone: walks.length };
  const run = { runId: 1, ...rest, status: 'partial' as const, requests: 9, durationMs: 5, storage: [] };
  const names = (_account: string, packageId: number) => (packageId === 101 ? name : null);
  const listCommand = 'vodhouse runs 1';
  return summaryText({ ...run, walks, failures }, { names, heldBack: [], columns, shown, listCommand })
    .trimEnd()
    .split('\n');
}

describe('the line of a package', () => {
  it('has numbers of one kind aligned', () => {
    const walks = [
      walk({ inserted: 12, updated: 3, unchanged: 11985, removed: 2, requests: 13 }),
      walk({ package_id: 7, inserted: 1200, unchanged: 800, restored: 10 }),
    ];
    expect(formatLines(walks, { name: 'Lectures' }).slice(0, 2)).toEqual([
      'main/101 Lectures: inserted    12, updated 3, unchanged 11,985, removed 2, restored  0, 13 requests',
      'main/7:            inserted 1,200, updated 0, unchanged    800, removed 0, restored 10,  1 request',
    ]);
  });

  it('is as short as possible for a single package', () => {
    const only = walk({ inserted: 12, updated: 3, unchanged: 11985, removed: 2, requests: 13 });
    expect(formatLines([only], { name: 'Lectures' })[0]).toBe(
      'main/101 Lectures: inserted 12, updated 3, unchanged 11,985, removed 2, restored 0, 13 requests',
    );
  });

  it('includes further counts', () => {
    const members = { resumed: true, quarantined: 3, unsettled: 2, held_back: 1 };
    expect(formatLines([walk(members)])[0]).toMatch(
      /, 1 request, resumed, 3 in quarantine, 2 unsettled, 1 removal held back$/,
    );
  });

  it('truncates a name that does not fit into the terminal, and no other', () => {
    const name = 'Recordings of the winter term';
    const walks = [walk({ unchanged: 1 }), walk({ package_id: 7 })];
    const narrow = formatLines(walks, { name, columns: 100 });
    expect(narrow[0]).toContain('Recordings of the wi…: ');
    expect(narrow.slice(0, 2).map(displayWidth)).toEqual([100, 100]);
    expect(formatLines(walks, { name })[0]).toContain(`${name}: `);
    expect(formatLines(walks, { name, columns: 20 })[0]).toContain('main/101 Recordi…: ');
  });

  it('counts wide characters as two columns', () => {
    const [first = '', second = ''] = formatLines([walk(), walk({ package_id: 7 })], { name: '겨울 강의' });
    expect(first.indexOf('inserted') + '겨울강의'.length).toBe(second.indexOf('inserted'));
  });
});

describe('a summary', () => {
  it('has only packages that changed or failed, how many are left, and totals', () => {
    const walks = [walk({ unchanged: 3 }), walk({ package_id: 7, removed: 2 })];
    expect(formatLines(walks, { shown: 'notable' }).slice(0, 3)).toEqual([
      'main/7: inserted 0, updated 0, removed 2, restored 0, 1 request',
      'nothing changed in the other package',
      'all 2 packages: inserted 0, updated 0, unchanged 3, removed 2, restored 0',
    ]);
  });
});

describe('a summary on a terminal', () => {
  const many = (count: number, members: (index: number) => Partial<Walk>) =>
    Array.from({ length: count }, (_, index) => walk({ package_id: index + 1, ...members(index) }));

  it('has every package of a few', () => {
    const lines = formatLines(
      many(40, () => ({ unchanged: 3 })),
      { shown: 'fitting' },
    );
    expect(lines.filter((line) => line.startsWith('main/'))).toHaveLength(40);
  });

  it('has those that changed of many', () => {
    const walks = many(10_000, (index) => (index === 6 ? { updated: 2 } : { unchanged: 3 }));
    expect(formatLines(walks, { shown: 'fitting' }).slice(0, 2)).toEqual([
      'main/7: inserted 0, updated 2, removed 0, restored 0, 1 request',
      'nothing changed in the other 9,999 packages',
    ]);
  });

  it('has forty of many that changed, with those that failed among them, in their order', () => {
    const walks = many(10_000, (index) =>
      index === 9_000 ? { status: 'failed', error: 'no answer' } : { inserted: index < 9_500 ? 1 : 0 },
    );
    const lines = formatLines(walks, { shown: 'fitting' });
    const packages = lines.filter((line) => line.startsWith('main/'));
    expect(packages).toHaveLength(40);
    expect(packages[38]).toMatch(/^main\/39: /);
    expect(packages[39]).toMatch(/^main\/9001: .* failed: no answer$/);
    expect(lines.slice(40, 42)).toEqual([
      '… and 9,460 more packages that changed or failed: vodhouse runs 1 lists all',
      'nothing changed in the other 500 packages',
    ]);
    expect(formatLines(walks, { shown: 'notable' })).toHaveLength(9_500 + 3);
    expect(formatLines(walks, { shown: 'all' })).toHaveLength(10_000 + 2);
  });

  it('has forty of many reasons', () => {
    const walks = many(1_000, () => ({ status: 'partial', error: 'page 3 came with 2 of 5 records' }));
    const lines = formatLines(walks, { shown: 'fitting' });
    expect(lines.filter((line) => line.startsWith('incomplete: '))).toHaveLength(40);
    expect(lines).toContain('… and 960 more incomplete packages: vodhouse runs 1 lists all');
  });
});

describe('the end of a walk', () => {
  const failed = walk({ status: 'failed', error: 'the service refused' });
  const failure = {
    account: 'main',
    packageId: 101,
    stream: 'videos' as const,
    kind: 'refused' as const,
    message: 'it refused',
    hint: undefined,
    parked: false,
    untilMs: null,
  };

  it('has its reason where no line below has it', () => {
    expect(formatLines([walk({ status: 'interrupted', error: 'stopped by SIGINT' })])[0]).toMatch(
      /, 1 request, interrupted: stopped by SIGINT$/,
    );
    const ofStorage = { ...failure, packageId: null };
    expect(formatLines([failed], { failures: [ofStorage] })[0]).toMatch(/, failed: the service refused$/);
  });

  it('has no reason where a line below has it', () => {
    const lines = formatLines([failed], { failures: [failure] });
    expect(lines[0]).toMatch(/, 1 request, failed$/);
    expect(lines[1]).toBe('failed: it refused');
    const partial = formatLines([walk({ status: 'partial', error: 'page 3 came with 2 of 5 records' })]);
    expect(partial[0]).toMatch(/, 1 request, incomplete$/);
    expect(partial[1]).toBe('incomplete: main/101: page 3 came with 2 of 5 records');
  });

  it('has the remarks of a successful walk', () => {
    expect(formatLines([walk({ error: 'it is not sorted' })])[1]).toBe('note: main/101: it is not sorted');
  });
});

describe('a text for a terminal', () => {
  it('is cut between two characters, by their columns', () => {
    expect(truncate('abcdef', 6)).toBe('abcdef');
    expect(truncate('abcdef', 5)).toBe('abcd…');
    expect(truncate('한국어', 6)).toBe('한국어');
    expect(truncate('한국어', 5)).toBe('한국…');
    expect(truncate('한국어', 4)).toBe('한…');
    expect(truncate('😀😀', 3)).toBe('😀…');
  });

  it('has no control characters', () => {
    const harmful = '\u0000\u0007\t\n\r\u001b\u007f\u009b\u2028\u2029\u202e\u2066\ud800';
    expect(escapeControls(`a${harmful}b`)).toBe(`a${'\ufffd'.repeat(harmful.length)}b`);
    expect(escapeControls('한국어 👩‍👩‍👧 é')).toBe('한국어 👩‍👩‍👧 é');
  });
});
