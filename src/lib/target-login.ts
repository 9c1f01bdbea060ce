/** The logins of targets. */
import { removeLakeLogin, type LakePlace } from './lake-place.ts';
import { hidePassword } from './postgres-url.ts';

type Login =
  | { readonly kind: 'lake'; readonly place: LakePlace }
  | { readonly kind: 'postgres'; readonly postgres: string };

/** The target without its login, for a process that does not connect. */
export const withoutLogin = <Settings extends Login>(settings: Settings): Settings =>
  settings.kind === 'lake'
    ? { ...settings, place: removeLakeLogin(settings.place) }
    : { ...settings, postgres: hidePassword(settings.postgres) };
