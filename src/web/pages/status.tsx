/** The status page: how things stand, in the order of what one wants to know first. */
import { toTimestamp } from '../../lib/clock.ts';
import type { StatusView } from '../status-view.ts';
import { ChangesSection } from './changes-section.tsx';
import { Page, type PageParts } from './layout.tsx';
import { PackagesSection } from './packages-section.tsx';
import { RunsSection } from './runs-section.tsx';
import { BudgetsSection } from './budgets-section.tsx';
import { OverallStatusSection } from './overall-status-section.tsx';
import { ProblemsSection } from './problems-section.tsx';
import { ProgressSection } from './progress-section.tsx';
import { StorageSection } from './storage-section.tsx';

export interface StatusPageParts extends Pick<PageParts, 'addressOf' | 'mayLeave'> {
  facts: StatusView;
  /** What the service counts a video's length in. */
  unit: 'ms' | 's';
}

export function StatusPage({ facts, unit, ...page }: StatusPageParts) {
  const { verdict, standing, progress, storage, packages, now, stamp } = facts;
  return (
    <Page {...page} title={`${verdict.words} · vodhouse`} stamp={stamp} hasCharts={storage !== null}>
      <OverallStatusSection verdict={verdict} at={toTimestamp(now)} />
      <ProgressSection progress={progress} nextRun={facts.nextRun} />
      <ProblemsSection needs={standing.needs} all={facts.allNeeds} />
      <StorageSection storage={storage} />
      <PackagesSection packages={packages} now={now} isUnderWay={facts.isLoading} />
      <BudgetsSection budgets={standing.budgets} />
      <RunsSection runs={standing.runs} now={now} />
      <ChangesSection {...facts} unit={unit} />
    </Page>
  );
}
