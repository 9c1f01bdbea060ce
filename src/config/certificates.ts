/** Reads the certificates of `accounts[].ca` and `publish.targets[].ca`. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errorMessage } from '../lib/errors.ts';

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The certificates of a PEM file, or what is wrong with it. */
export function readCertificates(file: string): { certificates: string[]; problem: string | null } {
  try {
    const certificates = readFileSync(file, 'latin1').match(BLOCK) ?? [];
    if (certificates.length === 0) throw new Error('no certificate in it');
    for (const pem of certificates) new X509Certificate(pem);
    return { certificates, problem: null };
  } catch (error) {
    const expected = 'expected a file with certificates in PEM (-----BEGIN CERTIFICATE-----)';
    return { certificates: [], problem: `cannot be used (${errorMessage(error)}); ${expected}` };
  }
}

/**
 * The certificates of a file that has some, with those of NODE_EXTRA_CA_CERTS, which Node leaves out where
 * others are named.
 */
export function readAuthorities(
  file: string,
  { NODE_EXTRA_CA_CERTS: extra = '' }: Readonly<Record<string, string | undefined>>,
): { file: string; certificates: string[] } {
  const files = [file, ...(extra === '' ? [] : [extra])];
  return { file, certificates: files.flatMap((each) => readCertificates(each).certificates) };
}
