import { annotate } from '../../src/explain/annotate/annotate.js';
import { readPemCertificates } from '../../src/explain/annotate/pem.js';
import { recognise } from '../../src/explain/annotate/recognise.js';
import { writeTree } from '../../src/explain/document.js';
import { readPublicKey } from '../../src/explain/public-key.js';
import { decodeUtf8, encodeUtf8, equalBytes, findInvalidUtf8 } from '../../src/kernel/bytes.js';
import { escapePointer, locateJsonError, locateUtf8Error, locateValue } from '../../src/kernel/json-location.js';
import { findJsonError, memberOffsets } from '../../src/kernel/json-offsets.js';
import { isObject, isWithinDepth, MAX_JSON_LEVELS } from '../../src/kernel/json-value.js';
import { decodeBase64, decodeBase64url, encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { type ClientData, decodeClientData, encodeClientData } from '../../src/webauthn/client-data.js';
import * as encodings from '../../src/webauthn/text-encoding.js';
import { corpus } from './corpus.js';
import { pathsOf, valueAt } from './json-tree.js';
import { makeAttestationObject, makeAuthenticatorData, makeBytes, makeDer, makeJson } from './makers.js';
import { mutateBytes } from './mutate-bytes.js';
import { hold, type Parser, reading, refusal, refusalAtByte } from './parser.js';
import type { Random } from './random.js';

const clientData: Parser = {
  name: 'client-data',
  make: (random) =>
    random.oneIn(3) ? makeBytes(random, corpus().clientData) : makeJson(random, [JSON.parse(decodeUtf8(random.pick(corpus().clientData)))]),
  read: (bytes) =>
    reading(
      () => {
        const data = decodeClientData(bytes);
        if (data.type === undefined) return 'without a type';
        const written = decodeClientData(encodeClientData({ ...data, type: data.type }));
        const members = ({ type, challenge, origin, topOrigin }: ClientData) => [type, challenge, origin, topOrigin].join('\0');
        // Lone surrogates have no UTF-8.
        hold(members(written) === Buffer.from(members(data)).toString(), 'the members are written as they were read');
        return 'read';
      },
      (error) => refusalAtByte(error, bytes),
    ),
};

const ENCODERS: readonly ((bytes: Uint8Array) => string)[] = [
  encodeBase64url,
  encodeBase64,
  (bytes) => Buffer.from(bytes).toString('hex'),
  (bytes) => (Buffer.from(bytes).toString('hex').match(/../g) ?? []).join(':'),
  (bytes) => bytes.join(','),
];

function makeText(random: Random): Uint8Array {
  const text = encodeUtf8(random.pick(ENCODERS)(random.bytes(random.small(120))));
  return random.oneIn(3) ? text : mutateBytes(text, random, text);
}

const base64: Parser = {
  name: 'base64',
  make: makeText,
  read: (bytes) => {
    const text = new TextDecoder().decode(bytes);
    const read = decodeBase64(text);
    hold((read === undefined) === !encodings.isEncoded(encodings.readBase64(text)), 'both readers take the same texts');
    if (read !== undefined) {
      hold(equalBytes(read.bytes, Buffer.from(text, 'base64')), 'it is read as Node reads it');
      hold(!read.canonical || encodeBase64(read.bytes).replace(/=+$/, '') === plain(text), 'a canonical text is written as it came');
    }
    return reading(() => {
      hold(encodeBase64url(decodeBase64url(text)) === text, 'strict base64url is written as it came');
      return 'base64url';
    });
  },
};

/** base64 without padding. */
const plain = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');

const textEncoding: Parser = {
  name: 'text-encoding',
  make: (random) => (random.oneIn(4) ? random.bytes(random.small(60)) : makeText(random)),
  read: (bytes) => {
    const text = new TextDecoder().decode(bytes);
    const hex = encodings.readHex(text);
    const decimals = encodings.readDecimals(text);
    const misfit = encodings.findMisfit(text);
    hold(misfit === undefined || misfit.position < text.length, 'a misfit stands in the text');
    const mistake = encodings.hexMistake(text);
    const place = typeof mistake === 'object' ? mistake.position : 0;
    hold(place >= 0 && place <= text.length, `the mistake stands in the text: ${place}`);
    encodings.printableText(bytes);
    encodings.asciiText(bytes);
    encodings.decodedTwice(bytes);
    encodings.readUtf16(bytes);
    encodings.findMisreading(bytes, decodeClientData);
    return hex !== undefined ? 'hexadecimal' : decimals !== undefined ? 'decimals' : 'neither';
  },
};

/** Each is looked for from the beginning, so not all are. */
const LOCATED = 20;

const jsonPlaces: Parser = {
  name: 'json-places',
  make: (random) => makeJson(random, corpus().fixtures.slice(0, 12)),
  read: (bytes) => {
    const error = findJsonError(bytes);
    const value = parsed(bytes);
    hold((error === undefined) === (value !== undefined), `JSON.parse and the finder of places agree (${JSON.stringify(error)})`);
    if (error !== undefined) hold(error.offset <= bytes.length, 'the place is within the text');
    const invalid = findInvalidUtf8(bytes);
    hold((locateUtf8Error(bytes) === undefined) === (invalid === undefined), 'both say whether it is UTF-8');
    if (invalid !== undefined) return 'no UTF-8';
    const text = decodeUtf8(bytes).replace(/^\ufeff/, '');
    const located = locateJsonError(text);
    hold((located === undefined) === (error === undefined), 'the place has a line where it has an offset');
    if (value === undefined) return 'no JSON';
    const paths = pathsOf(value.json);
    for (const path of [...paths.slice(0, LOCATED), ...paths.slice(-1)]) {
      const pointer = path.map((step) => `/${escapePointer(String(step))}`).join('');
      const place = locateValue(text, pointer);
      const line = text.split('\n')[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1) ?? '';
      const start = JSON.stringify(valueAt(value.json, path)).slice(0, 1);
      hold(line.startsWith(start), `${JSON.stringify(pointer)} stands where ${JSON.stringify(line.slice(0, 20))} begins`);
    }
    if (isObject(value.json)) {
      const names = new Set(memberOffsets(bytes).keys());
      hold(
        Object.keys(value.json).every((name) => names.has(name)),
        'every member has an offset',
      );
    }
    return 'JSON';
  },
};

/** Deeper JSON is refused with a place. */
function parsed(bytes: Uint8Array): { readonly json: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isWithinDepth(json, MAX_JSON_LEVELS) ? { json } : undefined;
  } catch {
    return undefined;
  }
}

function makePem(random: Random): Uint8Array {
  const blocks = Array.from({ length: 1 + random.below(3) }, () => {
    const body = encodeBase64(makeDer(random, corpus().certificates)).replaceAll(/.{64}/g, '$&\n');
    return `-----BEGIN ${random.oneIn(9) ? 'PRIVATE KEY' : 'CERTIFICATE'}-----\n${body}\n-----END CERTIFICATE-----\n`;
  });
  const text = encodeUtf8(blocks.join(random.pick(['', '\n', 'subject=x\n'])));
  return random.oneIn(2) ? text : mutateBytes(text, random, text);
}

const pem: Parser = {
  name: 'pem',
  make: makePem,
  read: (bytes) => reading(() => (readPemCertificates(new TextDecoder().decode(bytes), 'f').length > 0 ? 'read' : 'none')),
};

/** Anything that `explain` may be given, and behind any encoding. */
export function makeAnything(random: Random): Uint8Array {
  const bytes = random.pick([
    () => makeAttestationObject(random),
    () => makeAuthenticatorData(random),
    () => makeBytes(random, corpus().clientData),
    () => makeDer(random, corpus().certificates),
    () => makePem(random),
    () => makeJson(random, corpus().fixtures),
    () =>
      makeJson(
        random,
        corpus().fixtures.map(({ response }) => response),
      ),
  ])();
  return random.oneIn(3) ? encodeUtf8(random.pick(ENCODERS)(bytes)) : bytes;
}

const recogniser: Parser = {
  name: 'recognise',
  make: makeAnything,
  read: (bytes) =>
    reading(() => {
      const recognised = recognise(bytes);
      writeTree(annotate(recognised));
      return recognised.kind;
    }),
};

const publicKey: Parser = {
  name: 'public-key',
  make: (random) => (random.oneIn(2) ? makeAnything(random) : encodeUtf8(encodeBase64url(makeBytes(random, corpus().coseKeys)))),
  read: (bytes) => reading(() => (readPublicKey(bytes).publicKey.length > 0 ? 'read' : 'empty'), refusal),
};

export const TEXT_PARSERS: readonly Parser[] = [clientData, base64, textEncoding, jsonPlaces, pem, recogniser, publicKey];
