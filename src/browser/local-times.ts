/** Adds the viewer's local time as title to each `<time>` in `root`. Calendar days have no time zone and get none. */
export function addLocalTimeTitles(root: ParentNode): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]')) {
    const instant = new Date(time.dateTime);
    if (!Number.isNaN(instant.getTime()))
      time.title = instant.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
  }
}
