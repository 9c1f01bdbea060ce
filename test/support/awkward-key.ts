/** A key that looks different in every notation that it may be written in. */
export const AWKWARD_KEY = 'k/e y+"ü&1';

/** The forms a key takes in addresses, JSON and HTML, by what makes them so. */
export function formsOfKey(key: string): Record<string, string> {
  const encoded = encodeURIComponent(key);
  const query = new URLSearchParams({ '': key }).toString().slice(1);
  const lowerCase = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const json = JSON.stringify(key).slice(1, -1);
  return {
    plain: key,
    'percent-encoded': encoded,
    'percent-encoded in lower case': lowerCase(encoded),
    'a query': query,
    'a query in lower case': lowerCase(query),
    JSON: json,
    'JSON in ASCII with \\/': json
      .replaceAll('/', '\\/')
      .replaceAll(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
    HTML: key.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  };
}

/** Which forms of the key the text holds; none, if all is well. */
export function formsIn(text: string, key: string): string[] {
  return Object.entries(formsOfKey(key))
    .filter(([, form]) => text.includes(form))
    .map(([name]) => name);
}
