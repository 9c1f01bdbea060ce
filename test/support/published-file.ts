/** Publishes a live file of a test, in this process. Its threads run the built code: `npm run build` comes first. */
import { dirname, join } from 'node:path';
import { createCalendar } from '../../src/lib/calendar.ts';
import type { Order, Publication } from '../../src/warehouse/publishing/order.ts';
import { publish } from '../../src/warehouse/publishing/publish.ts';
import { rowsOf, type Row } from './live-file.ts';

export const KEYS = ['access_key', 'org_access_key'];

/** What a test publishes: into `out.db` beside the live file, at noon in Seoul, unless it wishes otherwise. */
export function orderOf(live: string, wishes: Partial<Order> = {}): Order {
  const order: Omit<Order, 'today'> = {
    live,
    file: join(dirname(live), 'out.db'),
    exclude: KEYS,
    keepDays: 0,
    pruneCopies: true,
    timezone: 'Asia/Seoul',
    durationUnit: 'ms',
    storageAccounts: ['main'],
    version: '1.2.3',
    now: Date.parse('2026-03-10T03:00:00Z'),
    command: 'test',
    ...wishes,
  };
  return { ...order, today: createCalendar(order.timezone).dayAt(order.now) };
}

/** Publishes, and gives a way to ask the published file. */
export async function published(live: string, wishes: Partial<Order> = {}) {
  const order = orderOf(live, wishes);
  const publication: Publication = await publish(order);
  const select = (query: string, ...parameters: unknown[]): Row[] => rowsOf(order.file, query, ...parameters);
  return { file: order.file, publication, select };
}
