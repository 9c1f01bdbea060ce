/** deploy/grafana/vodhouse.json: the dashboard of Grafana, from this list of panels. `npm run docs` writes it. */

/** Name, unit, what it shows, and each query with the name of its lines. */
type Panel = readonly [title: string, unit: string, description: string, ...queries: [string, string][]];

interface Row {
  title: string;
  /** A figure, a chart of lines, or one of stacked bars. */
  kind: 'stat' | 'lines' | 'bars';
  panels: readonly Panel[];
}

/** In the queries, `I`, `IA` and `IAT` between braces select the instances, accounts and targets that the viewer chose. */
const ROWS: readonly Row[] = [
  {
    title: 'Now',
    kind: 'stat',
    panels: [
      [
        'Workers that answer',
        'short',
        'Workers whose /metrics Prometheus reads.',
        ['sum(up{job="vodhouse",instance=~"$instance"})', ''],
      ],
      [
        'Stale streams',
        'short',
        'Packages and storages that two full runs did not read. vodhouse status shows why.',
        ['sum(vodhouse_stream_stale{IA})', ''],
      ],
      ['Videos', 'short', 'Videos that are listed now.', ['sum(vodhouse_videos{IA})', '']],
      [
        'Wait for a person',
        'short',
        'Removals held back and records in quarantine. vodhouse status shows the commands.',
        ['sum(vodhouse_held_back_removals{IA}) + sum(vodhouse_quarantine_records{IA} or vector(0))', ''],
      ],
      [
        'Age of the published file',
        's',
        'Of the oldest worker. A file is made only where something changed.',
        ['max(time() - vodhouse_published_timestamp_seconds{I})', ''],
      ],
      [
        'Age of the last backup',
        's',
        'Of the oldest worker.',
        ['max(time() - vodhouse_backup_timestamp_seconds{I})', ''],
      ],
    ],
  },
  {
    title: 'Runs',
    kind: 'bars',
    panels: [
      [
        'Runs that ended',
        'short',
        'By mode and status.',
        [
          'sum by (mode, status) (increase(vodhouse_runs_total{I}[$__rate_interval]))',
          '{{mode}}, {{status}}',
        ],
      ],
      [
        'Changes of the warehouse',
        'short',
        'Records of the walks that ended.',
        ['sum by (change) (increase(vodhouse_records_total{IA}[$__rate_interval]))', '{{change}}'],
      ],
    ],
  },
  {
    title: 'Freshness',
    kind: 'lines',
    panels: [
      [
        'Age of the oldest stream',
        's',
        'Since the last full walk of a package, or since the storage of today was read.',
        ['max by (account, stream) (vodhouse_stream_age_seconds{IA})', '{{account}}, {{stream}}'],
      ],
      [
        'Videos by account',
        'short',
        'Without removed ones.',
        ['sum by (account) (vodhouse_videos{IA})', '{{account}}'],
      ],
      [
        'Removals held back',
        'short',
        'They wait for a second proof, or for a person.',
        ['sum by (account) (vodhouse_held_back_removals{IA})', '{{account}}'],
      ],
      [
        'Records in quarantine',
        'short',
        'Records that could not be stored.',
        ['sum by (account, stream) (vodhouse_quarantine_records{IA})', '{{account}}, {{stream}}'],
      ],
      [
        'Missing days of storage',
        'short',
        'Days that the service did not return.',
        ['sum by (account, state) (vodhouse_storage_gaps{IA})', '{{account}}, {{state}}'],
      ],
    ],
  },
  {
    title: 'Requests',
    kind: 'lines',
    panels: [
      [
        'Requests a second',
        'reqps',
        'By HTTP status; none: no response came in time.',
        [
          'sum by (account, status) (rate(vodhouse_requests_total{IA}[$__rate_interval]))',
          '{{account}}, {{status}}',
        ],
      ],
      [
        'Budget spent',
        'percentunit',
        'Share of the requests that an account may send.',
        [
          '1 - vodhouse_budget_left_requests{IA} / vodhouse_budget_limit_requests{IA}',
          '{{account}}, a {{window}}',
        ],
      ],
      [
        'Restrictions',
        's',
        'Time until an account may send requests again.',
        ['max by (account) (vodhouse_pause_left_seconds{IA})', '{{account}}'],
      ],
    ],
  },
  {
    title: 'Storage',
    kind: 'lines',
    panels: [
      [
        'Live file',
        'bytes',
        'A -wal file beyond 256 MiB has a reader that does not end.',
        ['sum by (instance) (vodhouse_warehouse_size_bytes{I})', '{{instance}}'],
        ['sum by (instance) (vodhouse_warehouse_wal_size_bytes{I})', '{{instance}}, -wal'],
      ],
      [
        'Free disk',
        'percentunit',
        'Share of the disk of the live file.',
        ['min by (instance) (vodhouse_disk_free_bytes{I} / vodhouse_disk_size_bytes{I})', '{{instance}}'],
      ],
      [
        'Publications',
        's',
        'Duration of the last one, and whether the published file lacks changes.',
        ['max by (instance) (vodhouse_publish_duration_seconds{I})', '{{instance}}, duration'],
        ['max by (instance) (vodhouse_published_behind{I})', '{{instance}}, lacks changes (1)'],
      ],
    ],
  },
  {
    title: 'Targets',
    kind: 'lines',
    panels: [
      [
        'Targets behind',
        's',
        'Age of the last load that succeeded, where the target lacks changes.',
        ['max by (target, account) (vodhouse_target_behind_seconds{IAT})', '{{target}}, {{account}}'],
        [
          'max by (target) (vodhouse_target_every_seconds{instance=~"$instance",target=~"$target"})',
          '{{target}}: loaded at most every',
        ],
      ],
      [
        'Changes that targets lack',
        'short',
        'At most so many.',
        ['max by (target, account) (vodhouse_target_behind_changes{IAT})', '{{target}}, {{account}}'],
      ],
      [
        'Loads',
        'short',
        'Failed ones include refused accounts.',
        [
          'sum by (target, status) (increase(vodhouse_target_loads_total{IAT}[$__rate_interval]))',
          '{{target}}, {{status}}',
        ],
      ],
      [
        'Since the last load and comparison',
        's',
        'Of the account that was loaded, or compared (vodhouse publish --verify), the longest time ago.',
        [
          'time() - min by (target) (vodhouse_target_last_success_timestamp_seconds{IAT})',
          '{{target}}, load',
        ],
        [
          'time() - min by (target) (vodhouse_target_verified_timestamp_seconds{IAT})',
          '{{target}}, comparison',
        ],
      ],
    ],
  },
  {
    title: 'Server',
    kind: 'lines',
    panels: [
      [
        'Response time (95 %)',
        's',
        'Of the pages and of the API mirror.',
        [
          'histogram_quantile(0.95, sum by (le, route) (rate(vodhouse_http_request_duration_seconds_bucket{I}[$__rate_interval])))',
          '{{route}}',
        ],
      ],
      [
        'Versions',
        'short',
        'What each worker runs.',
        ['sum by (instance, version) (vodhouse_build_info{I})', '{{instance}}: {{version}}'],
      ],
    ],
  },
];

const INSTANCE = 'instance=~"$instance"';
const ACCOUNT = `${INSTANCE},account=~"$account"`;
const select = (query: string) =>
  query
    .replaceAll('{IAT}', `{${ACCOUNT},target=~"$target"}`)
    .replaceAll('{IA}', `{${ACCOUNT}}`)
    .replaceAll('{I}', `{${INSTANCE}}`);

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

const LINES = { lineWidth: 1, fillOpacity: 10, showPoints: 'never' };
const BARS = {
  drawStyle: 'bars',
  fillOpacity: 80,
  showPoints: 'never',
  stacking: { mode: 'normal', group: 'A' },
};

/** A variable that the viewer chooses, such as the instances. */
const choose = (name: string, query: string) => ({
  name,
  label: name,
  type: 'query',
  datasource: DATASOURCE,
  query: { query, refId: name },
  definition: query,
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
});

/** The panels of a row below each other, each line filled evenly: six figures, or three charts. */
function layOut({ title, kind, panels }: Row, top: number) {
  const [perLine, height] = kind === 'stat' ? [6, 4] : [3, 7];
  const header = { type: 'row', title, collapsed: false, panels: [], gridPos: { x: 0, y: top, w: 24, h: 1 } };
  const placed = panels.map(([name, unit, description, ...queries], index) => {
    const line = Math.floor(index / perLine);
    const inLine = Math.min(perLine, panels.length - line * perLine);
    const w = 24 / inLine;
    return {
      type: kind === 'stat' ? 'stat' : 'timeseries',
      title: name,
      description,
      datasource: DATASOURCE,
      gridPos: { x: (index % perLine) * w, y: top + 1 + line * height, w, h: height },
      fieldConfig: {
        defaults: { unit, min: 0, ...(kind === 'stat' ? {} : { custom: kind === 'bars' ? BARS : LINES }) },
        overrides: [],
      },
      targets: queries.map(([expr, legendFormat], number) => ({
        refId: 'ABC'[number],
        datasource: DATASOURCE,
        expr: select(expr),
        legendFormat,
        ...(kind === 'stat' ? { instant: true, range: false } : { range: true }),
      })),
    };
  });
  return { placed: [header, ...placed], bottom: top + 1 + Math.ceil(panels.length / perLine) * height };
}

/** The dashboard as JSON, one line for each panel. */
export function dashboardJson(): string {
  let top = 0;
  const panels = ROWS.flatMap((row) => {
    const { placed, bottom } = layOut(row, top);
    top = bottom;
    return placed;
  }).map((panel, index) => ({ id: index + 1, ...panel }));
  const variables = [
    { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', refresh: 1 },
    choose('instance', 'label_values(vodhouse_build_info, instance)'),
    choose('account', `label_values(vodhouse_stream_stale{${INSTANCE}}, account)`),
    choose('target', `label_values(vodhouse_target_loads_total{${INSTANCE}}, target)`),
  ];
  const head = {
    uid: 'vodhouse',
    title: 'vodhouse',
    tags: ['vodhouse'],
    schemaVersion: 39,
    editable: true,
    refresh: '1m',
    time: { from: 'now-24h', to: 'now' },
    templating: { list: variables },
  };
  const lines = panels.map((panel) => JSON.stringify(panel)).join(',\n');
  return `${JSON.stringify(head).slice(0, -1)},"panels":[\n${lines}\n]}\n`;
}
