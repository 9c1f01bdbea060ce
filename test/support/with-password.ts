/** The header of HTTP Basic, as a browser sends it. */
export function withPassword(password: string, name = 'anybody'): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}
