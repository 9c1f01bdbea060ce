/** Keys: `/` goes to the search of the page; `g` and the first letter of a page of the navigation opens that page. */
import { createElement } from './dom.ts';
import { keepSetting, readSetting } from './settings.ts';

/** The second key must follow the first within this time. */
const PAIR_MS = 1_500;

/** They can be turned off: keys of one character are in the way of speech input. */
export function startShortcuts(): void {
  let isOn = readSetting('vodhouse.keys') !== 'off';
  let firstAt = Number.NEGATIVE_INFINITY;
  document.addEventListener('keydown', (event) => {
    if (!isOn || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event))
      return;
    const isSecond = event.timeStamp - firstAt < PAIR_MS;
    firstAt = !isSecond && event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (isSecond) openPage(event);
    else if (event.key === '/') focusSearch(event);
  });
  addSwitch(isOn, (next) => (isOn = next));
}

function isTyping({ target }: Event): boolean {
  return target instanceof Element && target.closest('input, select, textarea, [contenteditable]') !== null;
}

function focusSearch(event: KeyboardEvent): void {
  const find = (within: string) => document.querySelector<HTMLInputElement>(`${within} input[type="search"]`);
  const field = find('main') ?? find('header');
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
}

function openPage(event: KeyboardEvent): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.navigation a')];
  const link = links.find(({ textContent }) => textContent.toLowerCase().startsWith(event.key));
  if (!link || event.key.length !== 1) return;
  event.preventDefault();
  link.click();
}

function addSwitch(isOnNow: boolean, turn: (isOn: boolean) => void): void {
  const footer = document.querySelector('footer');
  if (!footer || !document.querySelector('.navigation')) return;
  let isOn = isOnNow;
  const button = createElement('button', '', isOn ? 'Turn off' : 'Turn on');
  button.type = 'button';
  button.addEventListener('click', () => {
    isOn = !isOn;
    turn(isOn);
    keepSetting('vodhouse.keys', isOn ? 'on' : 'off');
    button.textContent = isOn ? 'Turn off' : 'Turn on';
  });
  const line = createElement('p', '', 'keys: / searches; g s, g p, g r open Status, Packages, Runs ');
  line.append(button);
  footer.append(line);
}
