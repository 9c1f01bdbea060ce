/** The texts of docs/warehouse.md before its tables. */

export const INTRODUCTION = `# The warehouse, table by table

Generated from the code by \`npm run docs\`: do not edit.

There are two SQLite files:

- **The published file** (\`publish.file\`, by default \`published/vodhouse.bi.db\`) is for readers: SQL, BI tools, notebooks. It is
  complete and read-only. After each run that changed something, a new file replaces it: open the file again to see it.
  [Its tables](#the-published-file).
- **The live file** (\`warehouse\`, by default \`data/vodhouse.db\`) belongs to the worker, which writes to it all the time. It
  has the fields of the service exactly as received, and the state of vodhouse itself: runs, requests, quarantine. Read it
  to see how the work goes, and never write to it. [Its tables](#the-live-file).

| | in the published file | in the live file |
| --- | --- | --- |
| times (TIMESTAMP) | text \`YYYY-MM-DD HH:MM:SS\` in UTC; but \`created_at\` is on the service's own clock, and \`day_at\` is a day of its calendar at 00:00:00 | text \`YYYY-MM-DD HH:MM:SS\` in UTC; the ledger has milliseconds since 1970 (\`…_ms\`) |
| days (DATE) | text \`YYYY-MM-DD\`, in the service's calendar (\`timezone\` of the config); \`dates\` says when each begins and ends in UTC | the same; only \`saved_requests\` counts by days in UTC |
| a package | \`package_key\`, such as \`main/101\` | \`account\` and \`package_id\` |
| a video | \`package_key\` and \`video_id\`; a video in two packages has a row in each, and counts in both | \`account\`, \`package_id\` and \`id\` |
| flags (BOOLEAN) | 0 or 1 | 0 or 1 |
| no value | NULL; an empty text of the service is NULL too | NULL and \`''\` are different, as received; a field that was not sent is NULL |
| removed videos | stay, with \`is_removed\` 1 | stay, with \`removed_at\` |

"Not documented" means that the service's own documents do not define it. The published file reads durations in
\`duration_unit\` of the config, file sizes in bytes and the size of the picture in pixels. Nothing else is guessed.`;

export const OF_PUBLISHED_FILE = `The columns are also described inside the file, in [\`dictionary\`](#dictionary). In the tables below:

- **from** is the field under the service's own name, or the column of the live file; empty for a computed column.
  \`packages\` is made from \`package\` and \`video\`, \`videos\` from \`video\`, \`video_history\` from \`video_version\`,
  \`storage_daily\` from \`storage_day\`, \`storage_readings\` from \`storage_reading\`.
- **sums** says whether a figure may be summed. *additive*: over everything. *semi-additive*: a level, over everything but
  days (over days take the last one, or the average). *non-additive*: never summed. Empty: no number.
- Present videos: \`not is_removed\` in \`videos\`. Videos at an earlier time:
  \`not is_removed and valid_from <= :at and (valid_to is null or :at < valid_to)\` in \`video_versions\`; without such a
  condition a sum there counts every state of a video. Days that never change again: \`state = 'booked'\` in \`storage_daily\`.
- The keys that let a video be played, \`access_key\` and \`original_access_key\`, are **left out by default**, from every table and
  view. \`publish.exclude\` in the config lists what is left out, by the name of the field or of the column;
  \`publish: { exclude: [] }\` leaves out nothing.
- The \`bi_…\` views are one wide table per subject, for tools that need a single table. Views pass the columns of other tables through
  unchanged: types, units and meanings are those of the table named.
- **In PostgreSQL** (\`publish.targets\`) the tables, views and columns are the same; flags are true and false, times in UTC are
  \`timestamptz\`, days are \`date\`, and \`runs\`, \`walks\` and \`about\` also have \`warehouse_id\`: [targets.md](targets.md#postgresql).
- **In a lake** (Delta tables) there are the tables, with the types of Delta: [targets.md](targets.md#a-lake).`;

export const OF_LIVE_FILE = `Fields of the service have its own names and are stored as received. A text field that was sent as another JSON type is
stored as its JSON text. A record that cannot be stored without loss is in [\`quarantine\`](#quarantine), and fields that are not documented are in \`video.extra\`. The
file is in WAL mode: open it as the user that runs vodhouse. Queries to copy: [queries.md](queries.md).`;
