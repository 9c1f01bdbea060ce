import type { LoginForm } from '../auth/login.ts';
import { Page, renderPage, type AssetUrl } from './layout.tsx';

export function createLoginRenderer(assetUrl: AssetUrl): (form: LoginForm) => string {
  return (form) => renderPage(<LoginPage {...form} assetUrl={assetUrl} />);
}

function LoginPage({ assetUrl, next, error }: LoginForm & { assetUrl: AssetUrl }) {
  return (
    <Page assetUrl={assetUrl} siteTitle={null} title="Sign in">
      <section class="card login">
        <h1>API key required</h1>
        <p>
          Enter one of the keys under <code>server.keys</code> in the config.
        </p>
        {error !== null && (
          <p class="notice" role="alert">
            {error}
          </p>
        )}
        <form method="post" action="/login">
          <input type="hidden" name="next" value={next} />
          <label for="key">Key</label>
          <input id="key" type="password" name="key" required autocomplete="current-password" />
          <button type="submit">Sign in</button>
        </form>
      </section>
    </Page>
  );
}
