/** A page that may be one of another package is asked for again; if the same comes, it is not stored, but by a person's word. */
import { RefusedError } from '../../lib/errors.ts';
import type { SyncContext } from '../context.ts';
import type { WalkState } from './walk-state.ts';
import { doubtEcho, doubtFit, MANY, placeOf, type Doubt, type PageSeen } from './foreign-page.ts';
import type { Page } from './page-fetcher.ts';
import type { WalkOptions } from './walk.ts';

/** Pages of a walk that came again as they were, and were stored all the same: no more is asked for again for that. */
const MOST_CONFIRMED = 3;
/** Packages of a run that hold what others hold too: where there are more, that is how this account is. */
const MOST_COPIES = 20;

/** Gives the page, or the one that came in its place. Throws RefusedError where that is one of another package too. */
export async function confirmOwnPage(
  parts: SyncContext,
  order: WalkOptions,
  course: WalkState,
  { number, page, askAgain }: { number: number; page: Page; askAgain: () => Promise<Page> },
): Promise<Page> {
  const look = { parts, order, course };
  const doubt = await findDoubt(look, page);
  const isAsked = doubt !== null && isWorthAsking(look, doubt);
  if (!isAsked) return settled(look, page, doubt);
  const { key } = course;
  const words = `${key.account}/${key.packageId}, page ${number} is asked for again: ${doubt.words}`;
  parts.logger[doubt.isSure ? 'warn' : 'info']({ ...key, page: number }, words);
  const again = await askAgain();
  const still = await findDoubt(look, again);
  if (still?.isSure && !order.acceptPage) throw foreign(parts, course, number, still);
  if (still?.isCopy) order.owners.copies++;
  else if (still?.isEcho) order.owners.echoes++;
  else if (still) course.confirmed++;
  return settled(look, again, still);
}

/** Where the same came again often enough, it is no accident. */
function isWorthAsking({ order, course }: Look, doubt: Doubt): boolean {
  if (doubt.isEcho && !doubt.isSure) return order.owners.echoes < MOST_CONFIRMED;
  if (doubt.isCopy) return !course.isCopy && order.owners.copies < MOST_COPIES;
  return (doubt.isSure && !order.acceptPage) || course.confirmed < MOST_CONFIRMED;
}

function settled({ course }: Look, page: Page, doubt: Doubt | null): Page {
  course.isCopy = doubt?.isCopy ?? false;
  return page;
}

interface Look {
  parts: SyncContext;
  order: WalkOptions;
  course: WalkState;
}

/** Whatever stands above is stored first: its rows count. */
async function findDoubt({ parts, order, course }: Look, page: Page): Promise<Doubt | null> {
  const { packageId } = order;
  const { paging, echo, holding, known, hash } = page;
  const echoed = doubtEcho(echo, packageId);
  if (echoed || known) return echoed;
  await course.storing;
  const { above } = course;
  const doubt = await findDoubtByRows(parts, course, { packageId, paging, echo, holding, above });
  if (doubt !== 'unknown') return doubt;
  const isMany = holding.count > MANY; // fewer would be put right by the next walk
  const owner = hash === null || !isMany ? null : await order.owners.findOwner(hash, packageId);
  if (owner === null) return null;
  return { words: `package ${owner} showed the same, byte for byte`, isSure: false, isCopy: true };
}

/** What the rows say of a page: null where it is known; `unknown` where most of it is not, and yet all fits. */
export async function findDoubtByRows(
  { warehouse }: Pick<SyncContext, 'warehouse'>,
  { key }: Pick<WalkState, 'key'>,
  page: PageSeen,
): Promise<Doubt | 'unknown' | null> {
  const place = placeOf(key.account, page);
  const fit = place && (await warehouse.fitOf(place));
  return place && fit ? (doubtFit(place, fit, page.paging.totalcount) ?? 'unknown') : null;
}

function foreign(parts: SyncContext, { key }: WalkState, number: number, { words }: Doubt): RefusedError {
  const where = `account ${key.account}, package ${key.packageId}, page ${number}`;
  return new RefusedError(`${where}: ${words}; it came twice, and is not stored`, {
    fault: 'foreign',
    hint: `if the package was really filled with other videos: ${parts.acceptPageCommand(key)}`,
  });
}
