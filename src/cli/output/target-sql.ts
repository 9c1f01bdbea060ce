/** The statements that make a target, for a database administrator. */
import type { Config, PostgresTargetConfig } from '../../config/config.ts';
import { createMarts } from '../../publishing/marts/marts.ts';
import { getAddress } from '../../publishing/targets/postgres/connection-options.ts';
import { formatSchemaSql } from '../../publishing/targets/postgres/ddl.ts';
import { quoteName } from '../../publishing/targets/postgres/session.ts';

/** SQL for psql: the schema, and the rights of the user that loads it. Ends with a line feed. */
export function formatTargetSql(
  { publish, durationUnit, timezone }: Config,
  target: PostgresTargetConfig,
): string {
  const { name, schema, readers } = target;
  const { user, database } = getAddress(target);
  const marts = createMarts({ durationUnit, exclude: publish?.exclude ?? [] });
  return `-- target ${name}: schema ${schema} in database ${database}; the roles ${[user, ...readers].join(', ')} must exist
BEGIN;

${formatSchemaSql({ schema, marts, readers }, timezone)}
${formatLoaderGrants({ schema, user, database })}
COMMIT;
`;
}

/** What the user of the target needs, whoever owns the tables. */
function formatLoaderGrants({
  schema,
  user,
  database,
}: Record<'schema' | 'user' | 'database', string>): string {
  const [prefix, role] = [quoteName(schema), quoteName(user)];
  return `GRANT TEMPORARY ON DATABASE ${quoteName(database)} TO ${role};
GRANT USAGE ON SCHEMA ${prefix} TO ${role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${prefix} TO ${role};
`;
}
