/** Times in the time zone of the service, or in UTC where the viewer chose that; the other one as title. */
import { createElement } from './dom.ts';
import { keepSetting, readSetting } from './settings.ts';

/** How much of `YYYY-MM-DD HH:MM:SS` an element with this `data-time` shows. */
const FORMS: Record<string, [from: number, to: number]> = { full: [0, 19], minute: [0, 16], clock: [11, 16] };

/** The time zone of the service; null where the page has none, or the browser does not know it. */
const zone = findZone();
let isUtc = readSetting('vodhouse.times') === 'utc';

function findZone(): string | null {
  try {
    const name = document.body.dataset['zone'];
    return name === undefined ? null : createFormat(name).resolvedOptions().timeZone && name;
  } catch {
    return null;
  }
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
}

/** Sets text and title of each `<time>` in `root`. Calendar days have no time zone and stay as they are. */
export function showTimes(root: ParentNode): void {
  if (zone === null) return;
  const [local, utc] = [createFormat(zone), createFormat('UTC')];
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]')) {
    const ms = Date.parse(time.dateTime);
    if (Number.isNaN(ms)) continue;
    const texts = [`${local.format(ms)} ${zone}`, `${utc.format(ms)} UTC`];
    const [from, to] = FORMS[time.dataset['time'] ?? ''] ?? [0, 0];
    time.title = to === 0 ? texts.join(', ') : (texts[isUtc ? 0 : 1] ?? '');
    if (to > 0) time.textContent = (isUtc ? utc : local).format(ms).slice(from, to) + (isUtc ? ' UTC' : '');
  }
}

/** Adds the switch to the sentence of the footer. */
export function addTimeSwitch(): void {
  const sentence = document.getElementById('times');
  if (!sentence || zone === null || zone === 'UTC') return;
  const text = document.createElement('span');
  const button = createElement('button', '');
  button.type = 'button';
  const show = () => {
    text.textContent = isUtc
      ? `times are UTC; days and “Created” are of ${zone}, the time zone of the service `
      : `times, days and “Created” are of ${zone}, the time zone of the service `;
    button.textContent = isUtc ? 'Show local times' : 'Show UTC';
    showTimes(document);
  };
  button.addEventListener('click', () => {
    isUtc = !isUtc;
    keepSetting('vodhouse.times', isUtc ? 'utc' : 'local');
    show();
  });
  sentence.replaceChildren(text, button);
  show();
}
