/** `sql/duckdb.sql`: temporary views over the files that the pointers name at that moment. */
import { doubleQuote, toComment, toLiteral, type LakeSql, type LakeSqlTable } from './lake-tables.ts';

/** The statements for DuckDB 1.2 or later. */
export function toDuckDb({ tables, views, root }: LakeSql): string {
  return `${toComment(HEAD)}
${root.startsWith('s3://') ? `\n${toComment(S3)}\n` : ''}
SET TimeZone = 'UTC';

-- another address of the same lake, before this script: SET VARIABLE vodhouse_lake = '/mnt/lake/';
SET VARIABLE vodhouse_root = rtrim(coalesce(getvariable('vodhouse_lake'), ${toLiteral(root)}), '/') || '/';

-- each pointer is read once: so all tables of an account are of one load; copies that other programs make have other names
SET VARIABLE vodhouse_documents = (
  SELECT list(document)
  FROM (
    SELECT content::JSON AS document, parse_filename(filename) AS name
    FROM read_text([getvariable('vodhouse_root') || 'latest/*.json', getvariable('vodhouse_root') || 'workers/*.json'])
  )
  WHERE name = coalesce(
    'account=' || (document->'owner'->>'account'),
    'warehouse=' || (document->'owner'->>'warehouse'),
    document->>'owner',
    document->>'instance'
  ) || '.json'
);

${tables.map(toTable).join('\n')}
${views.map(toView).join('\n')}
${FRESHNESS}`;
}

const HEAD = `
The tables and views of a lake of vodhouse, for DuckDB 1.2 or later. It is tested with DuckDB 1.5.
vodhouse writes this file again after each load that changed something.

Run it in every session; the views and variables end with the session:
  duckdb -init sql/duckdb.sql        or, in a session:  .read sql/duckdb.sql
Run it again to see later loads. Until then each account stays as it was: one whole load. A file of an earlier load
is deleted after "keep" (3 days by default): a query then says that there is no such file.`;

const S3 = `
The lake is in a bucket. Once per session, before the rest:
INSTALL httpfs; LOAD httpfs;
CREATE SECRET lake (TYPE s3, KEY_ID '…', SECRET '…', REGION '…');
  on a store that is not AWS also: ENDPOINT 'host:port', URL_STYLE 'path', and USE_SSL false where it has no TLS`;

/** The first file has no rows and every column: so there is a table also where no file is, and where workers leave out columns. */
function toTable({ name, columns, emptyKey }: LakeSqlTable): string {
  const variable = `vodhouse_files_${name}`;
  return `SET VARIABLE ${variable} = (
  SELECT [getvariable('vodhouse_root') || ${toLiteral(emptyKey)}] || coalesce(list(getvariable('vodhouse_root') || key), [])
  FROM (
    SELECT unnest(from_json(document->'files'->${toLiteral(name)}, '["VARCHAR"]')) AS key
    FROM (SELECT unnest(getvariable('vodhouse_documents')) AS document)
  )
);
CREATE OR REPLACE TEMP VIEW ${doubleQuote(name)} AS
SELECT ${columns.map((column) => doubleQuote(column.name)).join(', ')}
FROM read_parquet(getvariable('${variable}'), union_by_name = true, hive_partitioning = false);
`;
}

function toView({ name, select, whereFalse = [] }: LakeSql['views'][number]): string {
  const where = whereFalse.map((column) => `not ${column}`).join(' and ');
  return `CREATE OR REPLACE TEMP VIEW ${doubleQuote(name)} AS\n${select}${where && ` where ${where}`};\n`;
}

/** As PostgreSQL has it. `is_held` and what is "ago" count to now; the rest is as it was when the script ran. */
const FRESHNESS = `CREATE OR REPLACE TEMP VIEW vodhouse_freshness AS
WITH document AS (SELECT unnest(getvariable('vodhouse_documents')) AS d),
sign AS (
  SELECT (d->>'instance') AS instance, ((d->>'lease_until') || '+00')::TIMESTAMPTZ AS lease_until,
    ((d->>'renewed_at') || '+00')::TIMESTAMPTZ AS renewed_at
  FROM document WHERE (d->>'lease_until') IS NOT NULL
),
account AS (
  SELECT (d->'owner'->>'account') AS account, (d->'facts'->>'worker') AS worker, (d->'facts'->>'instance') AS instance,
    ((d->'state'->>'published_at') || '+00')::TIMESTAMPTZ AS published_at,
    ((d->'facts'->>'loaded_at') || '+00')::TIMESTAMPTZ AS loaded_at,
    ((d->'state'->>'verified_at') || '+00')::TIMESTAMPTZ AS verified_at,
    (d->'facts'->>'change_seq')::BIGINT AS change_seq, coalesce(d->'state'->>'status', 'ok') AS status
  FROM document WHERE (d->'owner'->>'account') IS NOT NULL AND (d->'facts'->>'kind') <> 'removed'
)
SELECT account, worker, coalesce(lease_until > now(), false) AS is_held, lease_until, renewed_at, published_at, loaded_at,
  verified_at, change_seq, status, date_diff('second', loaded_at, now()) AS loaded_seconds_ago,
  date_diff('second', renewed_at, now()) AS renewed_seconds_ago
FROM account LEFT JOIN sign USING (instance);
`;
