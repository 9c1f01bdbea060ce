/** Reads EXPLAIN QUERY PLAN: does a statement cost the product of two tables? */
import type { Database } from '../../src/database/sqlite.ts';

interface Step {
  id: number;
  parent: number;
  detail: string;
}

/**
 * The parts of the statement's plan that scan a table once for each row of another one; empty if there are
 * none.
 */
export function scansInsideScans(db: Database, statement: string, parameters: object): string[] {
  const steps = db.prepare(`explain query plan ${statement}`).all(parameters) as Step[];
  const isRepeated = (step: Step | undefined): boolean =>
    step !== undefined &&
    (step.detail.startsWith('CORRELATED') || isRepeated(steps.find(({ id }) => id === step.parent)));
  return steps
    .filter((step) => isLoop(step.detail))
    .filter((step) => {
      const outer = steps.find(({ parent, detail }) => parent === step.parent && isLoop(detail));
      return (outer !== step || isRepeated(step)) && readsTooMuch(step.detail, isRepeated(step));
    })
    .map(({ detail }) => detail);
}

const isLoop = (detail: string) => /^(SCAN|SEARCH) /.test(detail);

/**
 * A search without an index is a scan for the least or the greatest value. A search by the account alone is a
 * scan where there is one account. An automatic index is made once for a statement, which costs as much as a
 * sort of its rows; in a correlated subquery it is made for each row.
 */
function readsTooMuch(detail: string, isRepeated: boolean): boolean {
  if (detail.includes(' VIRTUAL TABLE ')) return false; // the parts of one value
  const isScan = detail.startsWith('SCAN ') || !detail.includes(' USING ');
  return isScan || detail.includes('(account=?)') || (isRepeated && detail.includes('AUTOMATIC'));
}
