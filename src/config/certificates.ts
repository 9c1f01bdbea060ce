/** Reads the certificates of `accounts[].ca`. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { errorCode, errorMessage } from '../lib/errors.ts';

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const EXPECTED = 'expected a file with certificates in PEM (-----BEGIN CERTIFICATE-----)';

/** The certificates of a PEM file, or what is wrong with it. */
export function readCertificates(file: string): { certificates: string[] } | { problem: string } {
  const content = readContent(file);
  if ('problem' in content) return content;
  const certificates = content.text.match(BLOCK) ?? [];
  const broken = certificates.findIndex((pem) => !isCertificate(pem));
  if (certificates.length === 0) return { problem: `has no certificate; ${EXPECTED}` };
  if (broken >= 0)
    return { problem: `is garbled (certificate ${broken + 1} of ${certificates.length}); ${EXPECTED}` };
  return { certificates };
}

/** The certificates of a file that has some, with those of NODE_EXTRA_CA_CERTS, which Node leaves out where others are named. */
export function readAuthorities(
  file: string,
  { NODE_EXTRA_CA_CERTS: extra = '' }: Readonly<Record<string, string | undefined>>,
): { file: string; certificates: string[] } {
  const certificates = [file, ...(extra === '' ? [] : [extra])].flatMap((each) => {
    const read = readCertificates(each);
    return 'problem' in read ? [] : read.certificates;
  });
  return { file, certificates };
}

function readContent(file: string): { text: string } | { problem: string } {
  try {
    if (!statSync(file).isFile()) return { problem: `is not a file; ${EXPECTED}` };
    return { text: readFileSync(file, 'latin1') };
  } catch (error) {
    const reason =
      errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errorMessage(error)})`;
    return { problem: `${reason}; ${EXPECTED}` };
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
