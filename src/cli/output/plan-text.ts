/** The text of `vodhouse plan`. */
import type { AccountPlan, PassPlan, Plan } from '../../capacity/plan-report.ts';
import { formatSchedule } from '../../capacity/plan.ts';
import { formatCount, formatDuration, pluralize, escapeControls } from '../../lib/format.ts';
import { commandsFor } from '../../lib/shell-command.ts';
import { formatRecords, moreText, MOST_ROWS, worstFirst } from './table.ts';

/**
 * Whether the schedule fits the limits, what the runs cost, then remarks. Of many accounts, those that do not
 * fit come first. `config` is the path of the config as it was typed.
 */
export function planText(whole: Plan, config: string): string {
  const accounts = worstFirst(whole.accounts, ({ fits }) => fits);
  const plan = { ...whole, accounts: accounts.slice(0, MOST_ROWS) };
  const formatCommand = commandsFor(config);
  const more = moreText(accounts.length, { most: MOST_ROWS, command: formatCommand('plan --json') });
  const table = [passTable(plan), ...more].join('\n');
  const sections = [resultLines(plan, config).map(escapeControls).join('\n'), table];
  const remarks = formatRemarks(plan, formatCommand('sync'));
  if (remarks.length > 0) sections.push(remarks.map((each) => `  - ${escapeControls(each)}`).join('\n'));
  return `${sections.join('\n\n')}\n`;
}

function resultLines({ accounts, fits, proposal }: Plan, config: string): string[] {
  const headline = fits ? 'the schedule fits' : 'the schedule does not fit';
  const lines = accounts.map(({ account, verdict }) => `  ${account}: ${verdict}`);
  const hint = proposal ? [`  -> schedule: ${formatSchedule(proposal)}`] : [];
  return [`${headline} (${config}):`, ...lines, ...hint];
}

function passTable({ accounts }: Plan): string {
  return formatRecords(
    accounts.flatMap((account) => {
      const others = account.packages - account.own.reduce((sum, { packages }) => sum + packages, 0);
      const limit = account.per_day === null ? 'any' : formatCount(account.per_day);
      return [
        passRecord(account, 'full', account.full, others, limit),
        ...account.own.map((pass) => passRecord(account, `full at "${pass.schedule}"`, pass, pass.packages)),
        ...(account.quick ? [passRecord(account, 'quick', account.quick)] : []),
      ];
    }),
  );
}

function passRecord(
  { account, packages: all }: AccountPlan,
  kind: string,
  pass: PassPlan,
  packages = all,
  limit: string | null = null,
) {
  const time = pass.time_ms === null ? '' : formatDuration(Math.ceil(pass.time_ms / 1000) * 1000);
  return {
    account,
    run: kind,
    packages,
    pages: pass.pages,
    requests: pass.requests,
    '>takes at least': time,
    'runs a day': pass.runs_per_day,
    'requests a day': pass.requests * pass.runs_per_day,
    '>per_day': limit,
  };
}

function formatRemarks({ accounts, warehouse, warehouse_exists: exists }: Plan, sync: string): string[] {
  const missing = exists ? [] : [`there is no warehouse at ${warehouse} yet: ${sync} creates it`];
  const unknown = accounts
    .filter((account) => account.packages_unknown > 0)
    .map(
      ({ account, packages_unknown: packages }) =>
        `${account}: size not known yet: ${pluralize(packages, 'package')}, counted as 1 page each`,
    );
  return [...missing, ...unknown];
}
