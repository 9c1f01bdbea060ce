/** A request with any headers, also headers that a browser forbids. */
import { request, type IncomingHttpHeaders } from 'node:http';

export interface BrowseOptions {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** An object is sent as a form; a text is sent unchanged. */
  form?: Readonly<Record<string, string>> | string;
  /** The local address of the connection. */
  from?: string;
}

export interface Browsed {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

/** Sends a request over a separate connection, by POST where there is a form; follows no redirect. */
export function browse(url: string, options: BrowseOptions = {}): Promise<Browsed> {
  const { form, headers, from } = options;
  const { method = form === undefined ? 'GET' : 'POST' } = options;
  const sent = typeof form === 'object' ? new URLSearchParams(form).toString() : form;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent: false,
      headers: { ...(sent !== undefined && { ...FORM_TYPE, 'content-length': sent.length }), ...headers },
      ...(from !== undefined && { localAddress: from }),
    });
    outgoing.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString() });
      });
    });
    outgoing.end(sent);
  });
}
