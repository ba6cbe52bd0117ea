import { equalBytes, toHex } from '../kernel/bytes.js';
import { encodeBase64, encodeBase64url } from '../webauthn/base64url.js';
import type { HarFinding } from './annotate/har.js';
import { NO_URL } from './annotate/har-entries.js';
import { type ReadCredential, readMember } from './annotate/read-credential.js';
import type { KnownError } from './document-schema.js';
import { findLibraryErrors } from './error-text.js';
import { type EncodingMistake, encodingMistake } from './report/encoding.js';
import { decodeText, readUserHandle } from './requested-options.js';
import type { ServerAnswer } from './server-answer.js';

/** A response that the server refused, with everything that was recorded before it. */
interface Refused {
  readonly finding: HarFinding;
  readonly earlier: readonly HarFinding[];
  readonly credential: ReadCredential;
  readonly answer: ServerAnswer;
  /** The options with which the response was requested. */
  readonly options: HarFinding | undefined;
}

type Found = Pick<KnownError, 'title' | 'causes' | 'next' | 'step'>;

/**
 * Finds reasons in a recording why a server may refuse a valid response: the server expects another encoding, it looks up a stored value in
 * another encoding, the challenge has expired, or the recording lacks the cookies. Such a reason is only a suggestion and does not change
 * the verdict.
 */
export function findLookUpMistake(
  findings: readonly HarFinding[],
  credential: ReadCredential,
  answer: ServerAnswer,
): KnownError | undefined {
  const index = findings.findIndex(({ found }) => 'credential' in found && found.credential === credential);
  const finding = findings[index];
  if (finding === undefined) return undefined;
  const earlier = findings.slice(0, index);
  const { decoded } = credential.clientDataJSON;
  const challenge = decoded?.ok === true ? decodeText(decoded.value.challenge) : undefined;
  const options = earlier.find(({ found }) => found.kind.endsWith('-options') && isSame(challenge, found.json['challenge']));
  const refused = { finding, earlier, credential, answer, options };
  const found = findEncoding(credential, answer.body) ?? findExpiry(refused) ?? findNoCookies(refused) ?? findLookUp(refused);
  return found && { from: 'recording', expectations: [], source: null, ...found };
}

function isSame(bytes: Uint8Array | undefined, text: unknown): boolean {
  const other = decodeText(text);
  return bytes !== undefined && other !== undefined && equalBytes(bytes, other);
}

const MEMBERS = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];

const ENCODING = String.raw`base64[-_ ]?url|url[-_ ]?safe[-_ ]base64|base64|\bhex(?:adecimal)?\b`;
/** Matches the encoding that a server requires, which is not always the first encoding in its error message. */
const WANTED = new RegExp(
  String.raw`(?:(?<!un)expect|must|want|need|requir|should|not|invalid)\w*\W+(?:\w+\W+){0,4}?(?<wanted>${ENCODING})`,
  'i',
);

/**
 * Explains a refusal whose message mentions an encoding, by listing the encoding of each member of the credential. Returns undefined if
 * every member already has the encoding that the server requires.
 */
export function explainEncoding(credential: ReadCredential, said: string): KnownError | undefined {
  const found = findEncoding(credential, said);
  return found && { from: 'recording', expectations: [], source: null, ...found };
}

function findEncoding({ json, response }: ReadCredential, said: string): Found | undefined {
  const named = WANTED.exec(said)?.groups?.['wanted'] ?? new RegExp(ENCODING, 'i').exec(said)?.[0];
  if (named === undefined) return undefined;
  const wanted = /url/i.test(named) ? 'base64url' : /hex/i.test(named) ? 'hexadecimal' : 'base64';
  const members: [string, unknown][] = [
    ['/id', json['id']],
    ['/rawId', json['rawId']],
    ...MEMBERS.filter((name) => name in response && response[name] !== null).map((name): [string, unknown] => [
      `/response/${name}`,
      response[name],
    ]),
  ];
  const byEncoding = new Map<string, string[]>();
  for (const [pointer, value] of members) {
    const written = nameEncoding(encodingMistake(pointer, readMember(value))?.mistake);
    byEncoding.set(written, [...(byEncoding.get(written) ?? []), pointer.replace(/.*\//, '')]);
  }
  if (byEncoding.size === 1 && byEncoding.has(wanted)) return undefined;
  const written = [...byEncoding].map(([encoding, names]) => `${encoding}: ${names.join(', ')}`);
  return {
    step: null,
    title: `Your server expects ${wanted}, but the response has ${written.join('; ')}`,
    causes: [`The server cannot read a member in another encoding than ${wanted}, or takes it for another ID.`],
    next:
      wanted === 'base64url'
        ? 'Send the credential as credential.toJSON() returns it: every member in base64url without padding.'
        : 'Responses are in base64url without padding (WebAuthn L3 §5.1.8): decode them as such on the server, and compare bytes.',
  };
}

function nameEncoding(mistake: EncodingMistake['mistake'] | undefined): string {
  switch (mistake) {
    case undefined:
      return 'base64url';
    case 'base64':
    case 'hexadecimal':
      return mistake;
    case 'padding':
      return 'base64url with padding';
    case 'encoded-twice':
      return 'base64url twice';
    default:
      return 'no encoding';
  }
}

/**
 * Explains a refusal because of expiry: compares the time between options and response with the timeout. Returns undefined unless the
 * server mentions expiry or the timeout has passed.
 */
function findExpiry({ finding, options, answer }: Refused): Found | undefined {
  if (options?.at === undefined || finding.at === undefined) return undefined;
  const seconds = Math.round((finding.at - options.at) / 1000);
  const { timeout } = options.found.json;
  const isOver = typeof timeout === 'number' && seconds * 1000 > timeout;
  const isAboutChallenge = namesStep(answer, 'challenge') || /challenge|session/i.test(answer.body);
  if (!/expire|timed? ?out|too late/i.test(answer.body) && !(isOver && isAboutChallenge)) return undefined;
  const limit = typeof timeout === 'number' ? `; the options have a timeout of ${timeout / 1000} seconds` : '';
  return {
    step: 'challenge',
    title: `The challenge has expired: ${seconds} seconds lie between options and response`,
    causes: [`The options came with ${options.place}, the response with ${finding.place}${limit}.`],
    next: 'Keep the challenge for the `timeout` of the options and some seconds more, and get new options for each attempt.',
  };
}

const namesStep = ({ body }: ServerAnswer, slug: string): boolean => findLibraryErrors(body).some(({ step }) => step === slug);

/** Explains a refusal because of a missing cookie. Browsers leave cookies out of an archive unless the user asks for them. */
function findNoCookies({ finding, earlier, options, answer }: Refused): Found | undefined {
  const hasCookies = [...earlier, finding].some(({ sendsCookie, setsCookie }) => sendsCookie === true || setsCookie === true);
  if (hasCookies || finding.url === NO_URL || finding.sendsCookie === undefined || !namesStep(answer, 'challenge')) return undefined;
  const { origin } = finding;
  const isOther = origin !== undefined && !finding.url.startsWith(`${origin}/`);
  return {
    step: 'challenge',
    title: finding.hasAllCookies
      ? 'The session lost its challenge: no cookie was sent'
      : 'The session lost its challenge, and this HAR has no cookies: record it with “Export HAR (with sensitive data)”',
    causes: [
      ...(isOther
        ? [`The page at ${origin} calls ${finding.url}, another origin: without credentials: 'include', fetch sends no cookie.`]
        : []),
      `Neither ${options?.place ?? 'the options'} nor ${finding.place} has a cookie in this recording.`,
    ],
    next: "Make the browser send the cookie: set `credentials: 'include'` in both fetch calls, and Access-Control-Allow-Credentials in the responses. If the server is on another site than the page, set the cookie with `SameSite=None; Secure`.",
  };
}

const NOT_FOUND = /not[ _-]?found|no such|unknown|does ?n[o']t exist|no (?:user|account|passkey|credential|authenticator)/i;

/** Explains why a server did not find the credential or user of a login, even though both were registered in the same recording. */
function findLookUp({ finding, earlier, credential, answer }: Refused): Found | undefined {
  if (finding.found.kind !== 'authentication' || !(answer.status === 404 || NOT_FOUND.test(answer.body))) return undefined;
  const id = decodeText(credential.json['id'] ?? credential.json['rawId']);
  const registration = earlier.find(
    (one) => one.found.kind === 'registration' && one.answer?.verdict === 'accepted' && isSame(id, one.found.credential.json['id']),
  );
  if (id === undefined || registration === undefined || registration.found.kind !== 'registration') return undefined;
  const handle = decodeText(credential.response['userHandle']);
  const { decoded } = registration.found.credential.clientDataJSON;
  const challenge = decoded?.ok === true ? decodeText(decoded.value.challenge) : undefined;
  const options = earlier.find(({ found }) => found.kind === 'creation-options' && isSame(challenge, found.json['challenge']));
  const registered = readUserHandle(options?.found.json);
  const isOfCredential = /credential|passkey|authenticator|\bkey\b/i.test(answer.body);
  const isOfUser = !isOfCredential && /user|account|owner|member/i.test(answer.body);
  const isSameUser = handle !== undefined && registered !== undefined && equalBytes(handle, registered);
  if (!isOfCredential && !(isOfUser && isSameUser)) return undefined;
  const by = isOfUser ? 'user handle' : 'credential ID';
  const bytes = isOfUser && handle !== undefined ? handle : id;
  const source = isOfUser ? `the user.id of its registration (${options?.place})` : `that of its registration (${registration.place})`;
  return {
    step: 'user-handle',
    title: `Your response is good; your look-up by ${by} fails`,
    causes: [
      `The ${by} is ${source}, so your server has stored or looks up another encoding of the same bytes.`,
      `It is ${encodeBase64url(bytes)} in base64url, ${encodeBase64(bytes)} in base64, ${toHex(bytes)} in hexadecimal.`,
    ],
    next: `Compare the stored value with these three: store the string of the response as it is, or decode it once and compare bytes.`,
  };
}
