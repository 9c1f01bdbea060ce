/** Problems of the worker itself: its backups, and a config that it refused. Pure. */
import type { HealthFacts } from './facts.ts';
import { createProblem, toOneLine, type Problem } from './problem-kinds.ts';

/** The newest backup failed; it ends with the next one that is made. */
export function findFailedBackup({ backup, formatCommand }: HealthFacts): Problem[] {
  if (!backup?.error) return [];
  const { error, failing_since: since, made_at: madeAt } = backup;
  const last = madeAt === null ? 'there is none yet' : `the last one was made at ${madeAt} UTC`;
  return [
    createProblem({
      kind: 'backup',
      since,
      message: `the backup of the warehouse failed, ${last}: ${toOneLine(error)}`,
      advice: [
        { text: 'the worker tries again each hour; to make one now', command: formatCommand('backup FILE') },
      ],
      fields: { made_at: madeAt, error },
    }),
  ];
}

/** It ends with a config that the worker accepts, and with the worker. */
export function findRefusedConfig({ refusedConfig, formatCommand }: HealthFacts): Problem[] {
  if (!refusedConfig) return [];
  const { at, error } = refusedConfig;
  return [
    createProblem({
      kind: 'config_refused',
      since: at,
      message: `the worker refused the changed config and continues with the one it had: ${toOneLine(error)}`,
      advice: [{ text: 'correct it, then send SIGHUP to the worker again', command: formatCommand('check') }],
      fields: { error },
    }),
  ];
}
