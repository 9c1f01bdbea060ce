/** The environment of this process for another one, without the variables that hold one of the secrets. */
export function childEnvWithout(secrets: readonly string[]): NodeJS.ProcessEnv {
  const isPlain = (value = '') => !secrets.some((secret) => secret !== '' && value.includes(secret));
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => isPlain(value)));
}
