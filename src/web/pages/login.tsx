/** The page at the door: asks for a key. */
import { renderPage, Page, type AssetUrl, type PageParts } from './layout.tsx';

export interface LoginPageParts extends Pick<PageParts, 'addressOf'> {
  /** Where to go on to. */
  to: string;
  /** Why a key that was entered did not open; null before. */
  said: string | null;
}

/** Renders the page for what its form is to hold. */
export function renderLogin(addressOf: AssetUrl): (fields: Pick<LoginPageParts, 'to' | 'said'>) => string {
  return (fields) => renderPage(<LoginPage {...fields} addressOf={addressOf} />);
}

export function LoginPage({ addressOf, to, said }: LoginPageParts) {
  return (
    <Page addressOf={addressOf} title="A key is wanted · vodhouse">
      <section class="card door">
        <h1>A key is wanted</h1>
        <p>
          One of those that stand under <code>server.keys</code> in the config.
        </p>
        {said !== null && (
          <p class="notice" role="alert">
            {said}
          </p>
        )}
        <form method="post" action="/enter">
          <input type="hidden" name="to" value={to} />
          <label for="key">Key</label>
          <input id="key" type="password" name="key" required autocomplete="current-password" />
          <button type="submit">Enter</button>
        </form>
      </section>
    </Page>
  );
}
