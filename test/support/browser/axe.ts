/** The violations that axe-core finds in the current page. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Violations of WCAG 2 A and AA and of best practices: the rule, and each place. The page's policy does not
 * block the script.
 */
export async function axeFindings(page: Page): Promise<[rule: string, places: string[]][]> {
  await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES }, resultTypes: ['violations'] });
  const found = await page.evaluate<axe.AxeResults>(`globalThis.axe.run(${options})`);
  return found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
