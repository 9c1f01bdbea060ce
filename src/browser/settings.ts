/** What a viewer chose, kept in this browser. A browser may refuse to keep anything. */
type Setting = 'vodhouse.keys';

export function readSetting(name: Setting): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keepSetting(name: Setting, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // it holds for this page only
  }
}
