/** The proxies that requests take: those of the config, or else those of the environment. */

/** As undici's EnvHttpProxyAgent takes them; '' for none. The addresses may hold a password: they are never printed. */
export interface Proxies {
  /** For addresses with http, and with https. */
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Hosts that need no proxy, as NO_PROXY has them. */
  readonly noProxy: string;
}

export const NO_PROXIES: Proxies = { httpProxy: '', httpsProxy: '', noProxy: '' };

/** The proxies of an account. `setting`: that of the config, `none` for no proxy, null for those of the environment. */
export function chooseProxies(setting: string | null, environment: Proxies): Proxies {
  if (setting === null) return environment;
  return setting === 'none' ? NO_PROXIES : { httpProxy: setting, httpsProxy: setting, noProxy: '' };
}

/** What must not be printed of a proxy's address: its password, and the header of RFC 7617 that is made of it. */
export function listProxySecrets(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { username, password } = new URL(address);
  if (password === '') return [];
  const pair = `${decodePercent(username)}:${decodePercent(password)}`;
  return [decodePercent(password), Buffer.from(pair).toString('base64')];
}

/** Without percent-encoding; unchanged where a percent sign is not an encoding. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
