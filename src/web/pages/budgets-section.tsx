import type { BudgetReport } from '../../health/facts.ts';
import { formatCount } from '../../lib/format.ts';
import { Message, Timestamp } from './format.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

const WINDOWS = [
  ['per_second', 'second'],
  ['per_minute', 'minute'],
  ['per_day', '24 hours'],
] as const;

const BUDGET_HEAD = ['Account', ...WINDOWS.map(([, label]) => `In the last ${label}`), 'Restriction'];

/** Nothing without accounts. */
export function BudgetsSection({ budgets }: { budgets: readonly BudgetReport[] }) {
  return (
    <div id="budgets-part" data-part>
      {budgets.length > 0 && <Budgets budgets={budgets} />}
    </div>
  );
}

function Budgets({ budgets }: { budgets: readonly BudgetReport[] }) {
  return (
    <Section name="budgets" heading="Requests used">
      <Table label={{ by: 'budgets-heading' }} head={BUDGET_HEAD}>
        {budgets.map((row) => (
          <tr key={row.account}>
            <th scope="row">{row.account}</th>
            {WINDOWS.map(([name, label]) => (
              <td key={name}>
                <Usage
                  {...row[name]}
                  isColoured={name === 'per_day'}
                  label={`Requests of ${row.account} in the last ${label}`}
                />
              </td>
            ))}
            <td>
              <Pause pause={row.pause} />
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

interface UsageProps {
  spent: number;
  limit: number | null;
  label: string;
  /** Only for the day: the limiter that does its work is no trouble. */
  isColoured: boolean;
}

function Usage({ spent, limit, label, isColoured }: UsageProps) {
  if (limit === null) return <>{formatCount(spent)}, no limit</>;
  return (
    <>
      <meter
        value={spent}
        min={0}
        max={limit}
        {...(isColoured && { low: 0.7 * limit, high: 0.9 * limit, optimum: 0 })}
        aria-label={label}
      />{' '}
      <span class="nowrap">
        {formatCount(spent)} of {formatCount(limit)}
      </span>
    </>
  );
}

function Pause({ pause }: Pick<BudgetReport, 'pause'>) {
  if (!pause) return <>none</>;
  return pause.in_force ? (
    <>
      paused until <Timestamp at={pause.until} />: <Message text={pause.reason} />
    </>
  ) : (
    <>
      ended at <Timestamp at={pause.until} />; full rate again at <Timestamp at={pause.back_at} />
    </>
  );
}
