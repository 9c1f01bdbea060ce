/** The clock of a store, as the `Date` of its answers tells it: whole seconds, some time ago. */

/** Begins with the clock of this machine. */
export function createStoreClock() {
  let aheadMs = 0; // of this machine

  return {
    now: (): number => Date.now() + aheadMs,
    /**
     * Takes the `Date` of an answer to a request that was sent at `sentAtMs` (milliseconds since 1970), and moves the clock no
     * further than that requires. Gives the milliseconds that this machine is behind; null where there is no readable `Date`.
     */
    learn(header: string | string[] | undefined, sentAtMs: number): number | null {
      const date = Date.parse([header].flat()[0] ?? '');
      if (Number.isNaN(date)) return null;
      const [least, most] = [date - Date.now(), date + 1000 - sentAtMs];
      aheadMs = Math.min(Math.max(aheadMs, least), most);
      return aheadMs;
    },
  };
}
