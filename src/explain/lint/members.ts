import { isObject } from '../../webauthn/json-value.js';
import { MAX_LISTED_CREDENTIALS } from '../../webauthn/option-names.js';
import { asciiText } from '../../webauthn/text-encoding.js';
import { bytesOf, readMember } from '../annotate/read-credential.js';
import { encodingMistake } from '../report/encoding.js';
import { type Advice, advise, oneOf, unknownMembers } from './advice.js';

const TRANSPORTS = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal'];
const HINTS = ['security-key', 'client-device', 'hybrid'];
/** §15.1: 5 to 10 minutes for ceremonies. */
const TIMEOUT = { least: 300_000, most: 600_000, recommended: 300_000 } as const;
const LEAST_CHALLENGE_BYTES = 16;

/** Text that should be base64url without padding: the advice, and the bytes where they can be read. */
export function lintBytes(pointer: string, value: unknown): { readonly advice: Advice[]; readonly bytes: Uint8Array | undefined } {
  if (typeof value !== 'string') {
    const message =
      value === undefined || value === null
        ? 'It is missing; base64url of the bytes is expected.'
        : 'A text is expected: JSON cannot hold an ArrayBuffer (it becomes {} or a list of numbers); write its bytes as base64url.';
    return { advice: [advise('error', pointer, message)], bytes: undefined };
  }
  const member = readMember(value);
  const mistake = encodingMistake(pointer, member);
  const bytes = bytesOf(member);
  if (mistake === undefined) {
    return { advice: [], bytes };
  }
  const detail = mistake.message.slice(pointer.length + 1);
  if (mistake.mistake === 'hexadecimal') {
    const read = 'A browser reads it as base64url all the same, so that other bytes come of it.';
    return { advice: [advise('warning', pointer, `The value ${detail} ${read}`)], bytes };
  }
  return { advice: [advise('error', pointer, `The value ${detail} parse…OptionsFromJSON() takes base64url without padding only.`)], bytes };
}

export function lintChallenge(value: unknown): Advice[] {
  if (value === undefined || value === null) {
    return [advise('error', '/challenge', 'The challenge is missing; make 32 random bytes for each ceremony.')];
  }
  const { advice, bytes } = lintBytes('/challenge', value);
  if (bytes === undefined) {
    return advice;
  }
  if (bytes.length < LEAST_CHALLENGE_BYTES) {
    advice.push(
      advise('error', '/challenge', `${bytes.length} bytes are too few: at least 16 random ones are asked for (§13.4.3); use 32.`),
    );
  } else if (asciiText(bytes) !== undefined || new Set(bytes).size <= bytes.length / 8) {
    advice.push(
      advise(
        'warning',
        '/challenge',
        'The bytes are plain text or repeat themselves, so this challenge may be guessed; use 32 bytes of a cryptographic random generator.',
      ),
    );
  }
  return advice;
}

export function lintTimeout(value: unknown): Advice[] {
  if (value === undefined) {
    return [];
  }
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0) {
    return [advise('error', '/timeout', `A whole number of milliseconds is expected; got ${JSON.stringify(value)}.`)];
  }
  if (value < 1000) {
    return [
      advise(
        'error',
        '/timeout',
        `${value} milliseconds are over before anybody can react; the unit is milliseconds, so write ${value * 1000} for ${value} seconds.`,
      ),
    ];
  }
  if (value < TIMEOUT.least) {
    return [
      advise(
        'note',
        '/timeout',
        `${value / 1000} seconds are below the recommended range of 300 to 600 (§15.1): people who need more time, or another device, are cut off; 300000 is recommended.`,
      ),
    ];
  }
  return value > TIMEOUT.most
    ? [advise('note', '/timeout', `${value / 1000} seconds are above the recommended range of 300 to 600 (§15.1); browsers may cut it.`)]
    : [];
}

export function lintDescriptors(pointer: string, value: unknown): Advice[] {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value)) {
    return [advise('error', pointer, 'An array of { type, id, transports } is expected.')];
  }
  const seen = new Set<unknown>();
  const isRepeated = (entry: unknown): boolean => {
    const id = isObject(entry) ? entry['id'] : undefined;
    const repeated = typeof id === 'string' && seen.has(id);
    seen.add(id);
    return repeated;
  };
  const many =
    value.length > MAX_LISTED_CREDENTIALS
      ? [
          advise(
            'error',
            pointer,
            `${value.length} credentials are too many: Chrome and other Chromium browsers throw a RangeError above ${MAX_LISTED_CREDENTIALS}. List the ${MAX_LISTED_CREDENTIALS} used last.`,
          ),
        ]
      : [];
  return [...many, ...value.flatMap((entry: unknown, index) => lintDescriptor(`${pointer}/${index}`, entry, isRepeated(entry)))];
}

function lintDescriptor(pointer: string, entry: unknown, repeated: boolean): Advice[] {
  if (!isObject(entry)) {
    return [advise('error', pointer, 'An object { type: "public-key", id } is expected.')];
  }
  const { type, id, transports } = entry;
  return [
    ...unknownMembers(pointer, entry, ['type', 'id', 'transports']),
    ...(type === 'public-key'
      ? []
      : [advise('error', `${pointer}/type`, `"public-key" is expected; browsers ignore the entry with ${JSON.stringify(type)}.`)]),
    ...lintBytes(`${pointer}/id`, id).advice,
    ...(repeated ? [advise('warning', `${pointer}/id`, 'This credential is named twice.')] : []),
    ...lintTransports(`${pointer}/transports`, transports),
  ];
}

function lintTransports(pointer: string, value: unknown): Advice[] {
  if (!Array.isArray(value) || value.length === 0) {
    return [
      advise('note', pointer, 'Without transports a browser has to try all of them; send those that getTransports() gave at registration.'),
    ];
  }
  return value
    .filter((transport: unknown) => typeof transport !== 'string' || !TRANSPORTS.includes(transport))
    .map((transport) =>
      advise(
        'note',
        pointer,
        `${JSON.stringify(transport)} is no transport of the standard${transport === 'cable' ? ' any more; it is called "hybrid"' : ''}; browsers ignore it.`,
      ),
    );
}

export function lintHints(value: unknown, attachment: unknown): Advice[] {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value)) {
    return [advise('error', '/hints', 'An array is expected, such as ["security-key"].')];
  }
  const unknown = value.flatMap((hint: unknown, index) => oneOf(`/hints/${index}`, hint, HINTS, 'the others'));
  const other = value[0] === 'client-device' ? 'cross-platform' : 'platform';
  return value.length > 0 && attachment === other
    ? [
        ...unknown,
        advise(
          'warning',
          '/hints',
          `The hint ${JSON.stringify(value[0])} contradicts authenticatorAttachment ${JSON.stringify(attachment)}; where both are given, newer browsers follow the hint.`,
        ),
      ]
    : unknown;
}
