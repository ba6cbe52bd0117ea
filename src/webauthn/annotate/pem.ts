import { PasskeyError } from '../../errors.js';
import { isEncoded, readBase64 } from './text-encoding.js';

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/dg;

/**
 * The certificates of a PEM text, as DER. What stands around the blocks is ignored.
 *
 * @throws PasskeyError `validation_failed` naming line and column of the first wrong character.
 */
export function readPemCertificates(text: string, name: string): Uint8Array[] {
  const items = [...text.matchAll(PEM)].map((block) => {
    const [, label = '', body = ''] = block;
    if (label !== 'CERTIFICATE') {
      throw wrong(`${name} is PEM and holds ${JSON.stringify(label)}; a CERTIFICATE is expected.${adviceOn(label)}`);
    }
    const read = readBase64(body.replaceAll(/\s/g, ''));
    if (!isEncoded(read)) {
      const [bodyAt = 0] = block.indices?.[2] ?? [];
      const at = bodyAt + placeOf(body, read.position);
      throw wrong(`${name} is PEM, but ${JSON.stringify(text.charAt(at))} at ${lineAndColumn(text, at)} (line:column) is not base64.`);
    }
    return read.bytes;
  });
  if (items.length === 0) throw wrong(`${name} looks like PEM, but has a BEGIN line and no END line that fits.`);
  return items;
}

function adviceOn(label: string): string {
  if (label.includes('PRIVATE')) return ' Keep private keys to yourself.';
  return label.includes('PUBLIC') ? ' A public key is taken as the COSE_Key of the attested credential data.' : '';
}

/** Where the character stands that is the nth but for white space; the last one where padding does not fit. */
function placeOf(body: string, position: number): number {
  let seen = 0;
  for (const [index, character] of [...body].entries()) {
    if (/\s/.test(character)) continue;
    if (seen === position) return index;
    seen += 1;
  }
  return body.trimEnd().length - 1;
}

function lineAndColumn(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

function wrong(message: string): PasskeyError {
  return new PasskeyError('validation_failed', message);
}
