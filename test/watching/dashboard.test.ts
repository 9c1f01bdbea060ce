import { describe, expect, it } from 'vitest';
import { documentedMetrics } from '../support/documented-metrics.ts';
import { fillVariables, findUnknown, readPromql } from '../support/promql.ts';
import { listQueries, readDashboard } from '../support/watching-files.ts';

const dashboard = readDashboard();
const queries = listQueries(dashboard);

describe('deploy/grafana/vodhouse.json', () => {
  it('asks only for metrics and labels that exist', () => {
    expect(queries.length).toBeGreaterThan(30);
    const known = documentedMetrics();
    expect(queries.flatMap((query) => findUnknown(fillVariables(query), known))).toEqual([]);
  });

  it('shows every metric of vodhouse', () => {
    const shown = new Set(queries.flatMap((query) => readPromql(fillVariables(query)).metrics.map(baseName)));
    const missing = [...documentedMetrics().keys()].map(baseName).filter((name) => !shown.has(name));
    expect(new Set(missing)).toEqual(new Set());
  });

  it('selects the instance in every query, and the account where the metric has one', () => {
    const known = documentedMetrics();
    const wrong = queries.filter((query) => {
      const { metrics, labels } = readPromql(fillVariables(query));
      const hasAccount = metrics.some((metric) => known.get(metric)?.includes('account'));
      return (
        !query.startsWith('count by') &&
        (!labels.includes('instance') || hasAccount !== labels.includes('account'))
      );
    });
    expect(wrong).toEqual([]);
  });

  it('says at each panel what it shows; no two panels overlap or have the same id', () => {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(panels.filter(({ description = '' }) => !description.endsWith('.'))).toEqual([]);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(dashboard.panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  });

  it('has the rows of an operator: now, runs, freshness, requests, storage, targets, server', () => {
    const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(rows).toEqual(['Now', 'Runs', 'Freshness', 'Requests', 'Storage', 'Targets', 'Server']);
  });
});

/** The metric of a sample of a histogram or summary. */
const baseName = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
