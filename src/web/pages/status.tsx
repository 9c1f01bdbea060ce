/** The status page, the most important sections first. */
import { toTimestamp } from '../../lib/clock.ts';
import type { StatusView } from '../views/status-view.ts';
import { ChangesSection } from './changes-section.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { PackagesSection } from './packages-section.tsx';
import { BudgetsSection } from './budgets-section.tsx';
import { OverallStatusSection } from './overall-status-section.tsx';
import { ProblemsSection } from './problems-section.tsx';
import { TilesSection } from './tiles-section.tsx';
import { TargetsSection } from './targets-section.tsx';

interface StatusPageProps extends PageFrame {
  view: StatusView;
  /** The unit of video lengths in the service. */
  unit: 'ms' | 's';
}

export function StatusPage({ view, unit, ...frame }: StatusPageProps) {
  const { overallStatus, health, packages, now, stamp } = view;
  return (
    <Page {...frame} title={overallStatus.text} current="status" stamp={stamp}>
      <OverallStatusSection status={overallStatus} at={toTimestamp(now)} />
      <TilesSection {...view} />
      <ProblemsSection items={view.attention} all={view.listAllCommand} now={now} />
      <PackagesSection packages={packages} now={now} isFirstReadRunning={view.isFirstReadRunning} />
      <TargetsSection targets={health.targets} now={now} />
      <BudgetsSection budgets={view.tightBudgets} />
      <ChangesSection changes={view.changes} now={now} unit={unit} />
    </Page>
  );
}
