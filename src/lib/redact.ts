/** The text without any of the secrets, in plain, percent-encoded or JSON form. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret === '') continue;
    const query = new URLSearchParams({ '': secret }).toString().slice(1);
    const forms = [secret, encodeURIComponent(secret), query, JSON.stringify(secret).slice(1, -1)];
    for (const form of new Set(forms)) clean = clean.replaceAll(form, '[key]');
  }
  return clean;
}
