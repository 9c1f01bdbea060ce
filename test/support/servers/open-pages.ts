/** The pages of a real server over the live file of open-web-server.ts, which a test can change. */
import { expect } from 'vitest';
import type { AccountConfig } from '../../../src/config/config.ts';
import { browse, type Browsed, type BrowseOptions } from '../browser/browser-request.ts';
import { execute } from '../fixtures/live-file.ts';
import { configToServe, liveFileToServe, openSiteOver } from './open-web-server.ts';
import { byId, getExactText, named, readHtml, getText, type Element } from '../read-html.ts';

export interface OpenPagesOptions {
  keys?: readonly string[];
  /** Replaces the accounts of the config. */
  accounts?: (accounts: readonly AccountConfig[]) => AccountConfig[];
  /** Additional lines of the config. */
  lines?: string;
}

export interface ReadPage extends Browsed {
  root: Element;
  title: string;
  /** The element with this id. */
  part: (id: string) => Element;
  /** The text of the element with this id, with single spaces. */
  partText: (id: string) => string;
}

/** Serves until the end of the test; any error of the server fails the test. */
export async function openPages(statements: readonly string[] = [], options: OpenPagesOptions = {}) {
  const live = liveFileToServe();
  execute(live, atOnce(statements));
  const config = configToServe(live, options.keys, options.lines);
  const accounts = options.accounts?.(config.accounts) ?? config.accounts;
  const site = await openSiteOver({ ...config, accounts });
  return {
    ...site,
    live,
    /** Requests a page, and expects this status. */
    page: async (path = '/', status = 200, sent: BrowseOptions = {}): Promise<ReadPage> => {
      const answer = await browse(`${site.url}${path}`, sent);
      expect([path.slice(0, 200), answer.status]).toEqual([path.slice(0, 200), status]);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(site.errors).toEqual([]);
      return readPage(answer);
    },
    /** Changes the live file while the server runs. */
    change: (...later: string[]) => execute(live, atOnce(later)),
  };
}

const atOnce = (statements: readonly string[]) => ['begin;', ...statements, 'commit;'].join('\n');

function readPage(answer: Browsed): ReadPage {
  const root = readHtml(answer.text);
  const [title] = named(root, 'title');
  return {
    ...answer,
    root,
    title: title ? getExactText(title) : '',
    part: (id) => byId(root, id),
    partText: (id) => getText(byId(root, id)),
  };
}

/** Only `main` with these packages, with or without storage. */
export const onlyMain =
  (packages: AccountConfig['packages'], hasStorage = false) =>
  ([main]: readonly AccountConfig[]): AccountConfig[] => {
    if (!main) throw new Error('there is no account');
    return [{ ...main, packages, storage: hasStorage ? main.storage : null }];
  };

/** The items that need attention: the texts, and the lines below. */
export const needsOn = ({ part }: ReadPage): string[][] =>
  named(part('problems'), 'li').map((item) => named(item, 'p').map(getText));
