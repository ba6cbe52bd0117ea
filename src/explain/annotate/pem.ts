import { PasskeyError } from '../../errors.js';
import { isEncoded, readBase64 } from '../../webauthn/text-encoding.js';

const BEGIN = /-----BEGIN ([A-Z0-9 ]{1,64})-----/g;
const END = /-----END ([A-Z0-9 ]{1,64})-----/g;

interface Block {
  readonly label: string;
  readonly body: string;
  /** Position at which the body of the PEM block starts in the text. */
  readonly at: number;
}

/**
 * Finds the PEM blocks in a text: pairs each BEGIN line with the next END line of the same label, in one pass. A single regular expression
 * would search the rest of the text again for each BEGIN.
 */
function* blocksOf(text: string): Generator<Block> {
  const ends = new Map<string, number[]>();
  for (const { 1: label = '', index } of text.matchAll(END)) {
    const known = ends.get(label);
    if (known === undefined) ends.set(label, [index]);
    else known.push(index);
  }
  const passed = new Map<string, number>();
  let free = 0;
  for (const { 0: line, 1: label = '', index } of text.matchAll(BEGIN)) {
    if (index < free) continue;
    const at = index + line.length;
    const places = ends.get(label) ?? [];
    let next = passed.get(label) ?? 0;
    while ((places[next] ?? at) < at) next += 1;
    passed.set(label, next);
    const end = places[next];
    if (end === undefined) continue;
    yield { label, body: text.slice(at, end), at };
    free = end;
  }
}

/**
 * Reads the certificates of a PEM text as DER. Text around the blocks is ignored.
 *
 * @throws PasskeyError `validation_failed` naming line and column of the first wrong character.
 */
export function readPemCertificates(text: string, name: string): Uint8Array[] {
  const items = [...blocksOf(text)].map(({ label, body, at: bodyAt }) => {
    if (label !== 'CERTIFICATE') {
      throw wrong(`${name} is PEM and holds ${JSON.stringify(label)}; a CERTIFICATE is expected.${adviceOn(label)}`);
    }
    const read = readBase64(body.replaceAll(/\s/g, ''));
    if (!isEncoded(read)) {
      const at = bodyAt + findPlace(body, read.position);
      throw wrong(`${name} is PEM, but ${JSON.stringify(text.charAt(at))} at ${lineAndColumn(text, at)} (line:column) is not base64.`);
    }
    return read.bytes;
  });
  if (items.length === 0) throw wrong(`${name} looks like PEM, but has a BEGIN line without a matching END line.`);
  return items;
}

/**
 * Reads the bytes of each PEM block that is valid base64. A line end may also be written as the two characters `\\n`, as in environment
 * variables.
 */
export function* readPemBlocks(text: string): Generator<{ readonly label: string; readonly bytes: Uint8Array }> {
  for (const { label, body } of blocksOf(text)) {
    const read = readBase64(body.replaceAll(/\s|\\[nr]/g, ''));
    if (isEncoded(read)) yield { label, bytes: read.bytes };
  }
}

function adviceOn(label: string): string {
  if (label.includes('PRIVATE')) return ' Keep private keys to yourself.';
  return label.includes('PUBLIC') ? ' Give a public key as the COSE_Key of the attested credential data.' : '';
}

/**
 * Finds the index of the nth character that is not white space. If there are fewer, because the padding is wrong, returns the index of the
 * last one.
 */
function findPlace(body: string, position: number): number {
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
