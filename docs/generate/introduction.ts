/** What docs/warehouse.md says before its tables. */

export const INTRODUCTION = `# The warehouse, table by table

Generated from the code by \`npm run docs\`: do not edit.

There are two SQLite files:

- **The published file** (\`publish.file\`, by default \`data/vodhouse.bi.db\`) is for everybody who asks: SQL, BI tools,
  notebooks. It is complete, read-only and replaced as a whole after each run that changed something. Open it anew to
  see the new one. [Its tables](#the-published-file).
- **The live file** (\`warehouse\`, by default \`data/vodhouse.db\`) belongs to the worker, which writes into it all the time. It
  holds the fields of the service exactly as they came, and all that vodhouse needs for its own work: runs, requests,
  quarantine. Read it to see how the work goes, and never write into it. [Its tables](#the-live-file).

| | in the published file | in the live file |
| --- | --- | --- |
| moments (TIMESTAMP) | text \`YYYY-MM-DD HH:MM:SS\` in UTC; but \`created_at\` is on the service's own clock, and \`day_at\` is a day of its calendar at 00:00:00 | text \`YYYY-MM-DD HH:MM:SS\` in UTC; the ledger has milliseconds since 1970 (\`…_ms\`) |
| days (DATE) | text \`YYYY-MM-DD\`, in the service's calendar (\`timezone\` of the config); \`dates\` says when each begins and ends in UTC | the same; only \`saved_requests\` counts by days in UTC |
| a package | \`package_key\`, such as \`main/101\` | \`account\` and \`package_id\` |
| a video | \`package_key\` and \`video_id\`; a video in two packages has a row in each, and counts in both | \`account\`, \`package_id\` and \`id\` |
| flags (BOOLEAN) | 0 or 1 | 0 or 1 |
| no value | NULL; an empty text of the service is NULL too | NULL and \`''\` are kept apart, as they came; a field that was not sent is NULL |
| removed videos | stay, with \`is_removed\` 1 | stay, with \`removed_at\` |

"Not documented" means that the service's own documents do not say it. The published file takes durations for what
\`duration_unit\` of the config says, file sizes for bytes and the size of the picture for pixels; nothing else is guessed.`;

export const OF_PUBLISHED_FILE = `The columns are also described inside the file, in [\`dictionary\`](#dictionary). In the tables below:

- **from** is the field under the service's own name, or the column of the live file; empty for what is computed.
  \`packages\` is made from \`package\` and \`video\`, \`videos\` from \`video\`, \`video_history\` from \`video_version\`,
  \`storage_daily\` from \`storage_day\`, \`storage_readings\` from \`storage_reading\`.
- **sums** says whether a figure may be summed. *additive*: over everything. *semi-additive*: a level, over everything but
  days (over days take the last one, or the average). *non-additive*: a number that is no amount. Empty: no number.
- Videos that are there now: \`is_removed = 0\` in \`videos\`. As they were at a moment:
  \`is_removed = 0 and valid_from <= :at and (valid_to is null or :at < valid_to)\` in \`video_versions\`; without such a
  condition a sum there counts every state of a video. Days that never change again: \`state = 'booked'\` in \`storage_daily\`.
- The keys that let a video be played, \`access_key\` and \`original_access_key\`, are **left out by default**, from every table and
  view. \`publish.exclude\` in the config names what is left out, by the service's name or by the column's;
  \`publish: { exclude: [] }\` leaves out nothing.
- The \`bi_…\` views are one wide table a subject, for tools that want one. Views pass the columns of other tables through
  unchanged: types, units and meanings are those of the table named.`;

export const OF_LIVE_FILE = `Fields of the service have its own names. A text field that came as another JSON type is kept as its JSON text; what cannot
be kept without loss is in [\`quarantine\`](#quarantine), and fields that are not documented are in \`video.extra\`. The
file is in WAL mode: open it as the user that runs vodhouse. Queries to copy: [queries.md](queries.md).`;
