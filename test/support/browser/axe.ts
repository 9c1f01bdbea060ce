/** The violations that axe-core finds in the current page. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Violations of WCAG 2 A and AA and of best practices: the rule, and each place; in dark, where only the colours differ, those of
 * the contrast. The page's policy does not block the script.
 */
export async function axeFindings(page: Page): Promise<[rule: string, places: string[]][]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const isThere = await page.evaluate<boolean>(`'axe' in globalThis`); // from a look at another width
  if (!isThere) await page.evaluate(axe.source);
  const inLight = await runAxe(page, { type: 'tag', values: RULES });
  await page.emulateMedia({ colorScheme: 'dark' });
  return [...inLight, ...(await runAxe(page, { type: 'rule', values: ['color-contrast'] }))];
}

async function runAxe(page: Page, runOnly: axe.RunOnly): Promise<[rule: string, places: string[]][]> {
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const found = await page.evaluate<axe.AxeResults>(`globalThis.axe.run(${options})`);
  return found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
