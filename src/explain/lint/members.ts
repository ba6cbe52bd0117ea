import { isObject } from '../../kernel/json-value.js';
import { DEFAULT_POLICY } from '../../relying-party/policy.js';
import { ATTACHMENTS, FORMER_TRANSPORTS, HINTS, knownValue, listNames, TRANSPORTS } from '../../webauthn/enumerations.js';
import { CHALLENGE_BYTES, MAX_CREDENTIAL_DESCRIPTORS, MIN_CHALLENGE_BYTES } from '../../webauthn/limits.js';
import { asciiText } from '../../webauthn/text-encoding.js';
import { decodeText, readMember } from '../annotate/read-credential.js';
import { encodingMistake } from '../report/encoding.js';
import { type Advice, advise, adviseWords, unknownMembers } from './advice.js';

/** §15.1 recommends 5 to 10 minutes; what our own relying party gives by default is no mistake either. */
const TIMEOUT = { least: DEFAULT_POLICY.timeout, most: 600_000 } as const;

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
  const bytes = decodeText(member);
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
    return [advise('error', '/challenge', `The challenge is missing; make ${CHALLENGE_BYTES} random bytes for each ceremony.`)];
  }
  const { advice, bytes } = lintBytes('/challenge', value);
  if (bytes === undefined) {
    return advice;
  }
  if (bytes.length < MIN_CHALLENGE_BYTES) {
    advice.push(
      advise(
        'error',
        '/challenge',
        `${bytes.length} bytes are too few: at least ${MIN_CHALLENGE_BYTES} random ones are asked for (§13.4.3); use ${CHALLENGE_BYTES}.`,
      ),
    );
  } else if (asciiText(bytes) !== undefined || new Set(bytes).size <= bytes.length / 8) {
    advice.push(
      advise(
        'warning',
        '/challenge',
        `The bytes are plain text or repeat themselves, so this challenge may be guessed; use ${CHALLENGE_BYTES} bytes of a cryptographic random generator.`,
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
        `${value / 1000} seconds are below the recommended range of 300 to 600 (§15.1): people who need more time, or another device, are cut off. Use 300000.`,
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
    value.length > MAX_CREDENTIAL_DESCRIPTORS
      ? [
          advise(
            'error',
            pointer,
            `${value.length} credentials are too many: Chrome and other Chromium browsers throw a RangeError above ${MAX_CREDENTIAL_DESCRIPTORS}. List the ${MAX_CREDENTIAL_DESCRIPTORS} used last.`,
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
    .filter((transport: unknown) => knownValue(transport, TRANSPORTS) === undefined)
    .map((transport) => {
      const today = FORMER_TRANSPORTS.get(transport);
      const renamed = today === undefined ? '' : ` any more; it is called "${today}"`;
      return advise('note', pointer, `${JSON.stringify(transport)} is no transport of the standard${renamed}; browsers ignore it.`);
    });
}

export function lintHints(value: unknown, attachment: unknown): Advice[] {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value)) {
    return [advise('error', '/hints', 'An array is expected, such as ["security-key"].')];
  }
  const unknown = value.flatMap((hint: unknown, index) => adviseWords(`/hints/${index}`, hint, listNames(HINTS), 'the others'));
  const hinted = knownValue(value[0], listNames(HINTS));
  return hinted !== undefined && knownValue(attachment, ATTACHMENTS) !== undefined && attachment !== HINTS[hinted]
    ? [
        ...unknown,
        advise(
          'warning',
          '/hints',
          `The hint ${JSON.stringify(hinted)} contradicts authenticatorAttachment ${JSON.stringify(attachment)}; where both are given, newer browsers follow the hint.`,
        ),
      ]
    : unknown;
}
