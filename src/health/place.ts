/** The page that shows more about a problem. Pure. */
import type { Config } from '../config/config.ts';
import type { PackageRow } from '../sync/package-key.ts';
import { isAccountStream, STREAM_KINDS } from '../sync/streams.ts';
import type { Kind, Place, Scope } from './problem.ts';

/** The address of a page for people outside; null without `server.url`. */
export const toUrl = ({ server }: Pick<Config, 'server'>, place: Place | null): string | null =>
  server?.url ? `${server.url.replace(/\/$/, '')}${place?.path ?? '/'}` : null;

/** The path of the page of a package. */
export const packagePath = ({ account, package_id: id }: PackageRow): string =>
  `/packages/${encodeURIComponent(account)}/${id}`;

/** The page of many packages. */
export const PACKAGES_PLACE: Place = { text: 'Packages', path: '/packages' };

export const REQUESTS_PLACE: Place = { text: 'Requests', path: '/#budgets' };
export const RUNS_PLACE: Place = { text: 'Runs', path: '/runs' };

/** Finds the page about a problem of this kind and scope; null where only the list of problems shows it. */
export function findPlace({ place }: Kind, { account, packageId, part }: Scope): Place | null {
  if (account !== null && packageId !== null)
    return { text: 'Package', path: packagePath({ account, package_id: packageId }) };
  if (account !== null && isAccountStream(part)) {
    const { path, link } = STREAM_KINDS[part].page;
    return { text: link, path: `${path}?${new URLSearchParams({ account }).toString()}` };
  }
  return place ?? null;
}
