/** The number of pages of a list; 0 for an empty one. */
export function countPages(records: number, pageSize: number): number {
  return Math.ceil(records / Math.max(1, pageSize));
}
