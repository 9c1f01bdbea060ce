/** `plan` in words. */
import type { ScheduleConfig } from '../../config/config.ts';
import type { AccountPlan, PassPlan, Plan } from '../../capacity/plan-report.ts';
import { formatDurationOrUnlimited } from '../../capacity/plan-sentence.ts';
import { formatCount, pluralize, escapeControls } from '../../lib/format.ts';
import { table } from './output.ts';

/** The plan for a terminal: the verdicts first. `config` is the config as it was named. */
export function planText(plan: Plan, config: string): string {
  const sections = [verdicts(plan, config), passes(plan)];
  const notes = notesOf(plan);
  if (notes.length > 0) sections.push(notes.map((note) => `  - ${escapeControls(note)}`).join('\n'));
  return `${sections.join('\n\n')}\n`;
}

function verdicts({ accounts, fits, proposal }: Plan, config: string): string {
  const short = accounts.filter((account) => !account.fits);
  const of =
    accounts.length === 1
      ? ''
      : ` for ${formatCount(short.length)} of ${formatCount(accounts.length)} accounts`;
  const headline = fits ? `the schedule fits (${config}):` : `the schedule does not fit${of} (${config}):`;
  const lines = accounts.map(({ account, verdict }) => `  ${account}: ${verdict}`);
  const hopeless = short.filter((account) => !account.proposal).map(({ account }) => account);
  const but = hopeless.length > 0 ? ` would fit all but ${hopeless.join(', ')}` : '';
  const hint = proposal ? [`  -> schedule: ${scheduleText(proposal)}${but}`] : [];
  return [headline, ...lines, ...hint].map(escapeControls).join('\n');
}

/** As it may be written into the config. */
function scheduleText({ full, quick }: ScheduleConfig): string {
  return quick === null ? `{ full: "${full}" }` : `{ full: "${full}", quick: "${quick}" }`;
}

function passes({ accounts }: Plan): string {
  const rows = accounts.flatMap((account) => [
    [
      ...passRow(account, 'full', account.full),
      account.per_day === null ? 'any' : formatCount(account.per_day),
    ],
    ...(account.quick ? [passRow(account, 'quick', account.quick)] : []),
  ]);
  const headings = ['account', 'pass', '>packages', '>pages', '>requests', '>at the limits', '>runs a day'];
  return table([...headings, '>requests a day', '>per_day'], rows);
}

function passRow({ account, packages }: AccountPlan, kind: string, pass: PassPlan): string[] {
  return [
    account,
    kind,
    formatCount(packages),
    formatCount(pass.pages),
    formatCount(pass.requests),
    formatDurationOrUnlimited(pass.time_ms),
    formatCount(pass.runs_per_day),
    formatCount(pass.requests * pass.runs_per_day),
  ];
}

function notesOf({ accounts, warehouse, warehouse_exists: exists }: Plan): string[] {
  const unknown = accounts.filter((account) => account.packages_unknown > 0);
  return [
    ...(exists ? [] : [`there is no warehouse at ${warehouse} yet: vodhouse sync makes it`]),
    ...unknown.map(({ account, packages_unknown: packages }) => {
      const each = packages === 1 ? 'counted as 1 page' : 'counted as 1 page each';
      return `${account}: size not known yet: ${pluralize(packages, 'package')}, ${each}`;
    }),
    ...boundaryNote(accounts),
  ];
}

function boundaryNote(accounts: readonly AccountPlan[]): string[] {
  const most = accounts
    .filter((account) => account.boundary_reads > 0)
    .map(({ account, boundary_reads: reads }) => `${formatCount(reads)} of ${account}`);
  if (most.length === 0) return [];
  return [`boundary reads (walk.boundary_reads) come on top, in a full pass at most ${most.join(', ')}`];
}
