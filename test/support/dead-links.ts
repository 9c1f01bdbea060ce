import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The pages of a checkout, or of an installed package: the README, the list of changes, and those below `docs`. */
export function listPages(root: string): string[] {
  const names = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  return ['README.md', 'CHANGELOG.md', ...names.map((name) => `docs/${name}`)];
}

/** The links of a page that lead nowhere below the root; those to the web are not tried. */
export function findDeadLinks(root: string, page: string): string[] {
  const links = [...readProse(join(root, page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = join(root, file === '' ? page : normalize(join(dirname(page), file)));
    if (!existsSync(target)) return true;
    return anchor !== undefined && !listAnchors(target).includes(anchor);
  });
}

/** The text of a page without blocks and spans of code. */
const readProse = (path: string) =>
  readFileSync(path, 'utf8')
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** The anchors of the headings of a page, as GitHub makes them. */
const listAnchors = (path: string) =>
  [...readProse(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
