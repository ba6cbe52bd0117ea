import { isDeepStrictEqual } from 'node:util';
import { PasskeyError } from '../../../errors.js';
import { plainBase64 } from '../../../explain/annotate/har-entries.js';
import { decodeAttestationObject } from '../../../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../../webauthn/authenticator-data.js';
import { decodeBase64, encodeBase64url } from '../../../webauthn/base64url.js';
import { type ClientData, decodeClientData } from '../../../webauthn/client-data.js';
import { readCoseAlgorithm } from '../../../webauthn/cose-key.js';
import type { CeremonyKind } from '../../../webauthn/enumerations.js';
import { bodyValue, type RecordedExchange } from './exchanges.js';
import { findParent, type Leaf, lastKey, listLeaves, type Step } from './leaves.js';

/** A recorded request that sends an authenticator's response. */
export interface RecordedCeremony {
  readonly kind: CeremonyKind;
  /** Index of the exchange in the recording. */
  readonly index: number;
  readonly clientData: ClientData;
  /** The client data in the request body, and its position there. */
  readonly leaf: Leaf;
  /** The passkey that this ceremony registered. Undefined for a login. */
  readonly made: MadePasskey | undefined;
  readonly rpIdHash: Uint8Array | undefined;
  /** User handle in base64url; undefined if the page did not send it. */
  readonly userHandle: string | undefined;
}

interface MadePasskey {
  /** Credential ID in base64url. */
  readonly credentialId: string;
  /** COSE algorithm identifier of the passkey. */
  readonly algorithm: number;
  /** Attestation statement format of the registration. */
  readonly format: string;
}

const KINDS: Readonly<Record<string, CeremonyKind>> = { 'webauthn.create': 'registration', 'webauthn.get': 'authentication' };
/** Maximum length of client data in base64. Client data from browsers is far shorter. */
const MAX_CLIENT_DATA = 16_384;

/** Finds the ceremonies of a recording, in order, by searching all request bodies for client data. */
export function findCeremonies(exchanges: readonly RecordedExchange[]): RecordedCeremony[] {
  return exchanges.flatMap((exchange, index): RecordedCeremony[] => {
    const leaves = listLeaves(bodyValue(exchange));
    for (const leaf of leaves) {
      const clientData = readClientData(leaf.value);
      const kind = KINDS[clientData?.type ?? ''];
      if (clientData && kind) return [{ kind, index, clientData, leaf, ...readResponse(leaves) }];
    }
    return [];
  });
}

function readResponse(leaves: readonly Leaf[]): Pick<RecordedCeremony, 'made' | 'rpIdHash' | 'userHandle'> {
  const find = (key: RegExp) => leaves.find(({ path, value }) => typeof value === 'string' && value !== '' && key.test(lastKey(path)));
  const [attested] = leaves.flatMap(({ value }) => readAttested(value) ?? []);
  const authData = find(AUTHENTICATOR_DATA);
  const bytes = authData && decodeBase64(String(authData.value))?.bytes;
  const handle = find(USER_HANDLE);
  return {
    made: attested?.made,
    rpIdHash: attested?.rpIdHash ?? (bytes && attempt(() => decodeAuthenticatorData(bytes).rpIdHash)),
    userHandle: handle && plainBase64(String(handle.value)),
  };
}

const AUTHENTICATOR_DATA = /auth(?:enticator)?_?data$/i;
const USER_HANDLE = /user_?handle$/i;

function readClientData(value: Leaf['value']): ClientData | undefined {
  const bytes =
    typeof value === 'string' && value.length <= MAX_CLIENT_DATA && /^[ \w+/-]/.test(value) ? decodeBase64(value)?.bytes : undefined;
  return bytes?.includes(0x7b) === true ? attempt(() => decodeClientData(bytes)) : undefined;
}

function readAttested(value: Leaf['value']): { readonly made: MadePasskey; readonly rpIdHash: Uint8Array } | undefined {
  const bytes = typeof value === 'string' && value.length > 50 ? decodeBase64(value)?.bytes : undefined;
  return (
    bytes &&
    attempt(() => {
      const { fmt, authData } = decodeAttestationObject(bytes);
      const { attestedCredentialData: attested, rpIdHash } = decodeAuthenticatorData(authData);
      if (attested === undefined) return undefined;
      const algorithm = readCoseAlgorithm(attested.credentialPublicKey);
      return { made: { credentialId: encodeBase64url(attested.credentialId), algorithm, format: fmt }, rpIdHash };
    })
  );
}

/** Runs a decoder and returns its result. Returns undefined if the decoder throws. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return undefined;
  }
}

/** Members of a credential in JSON (WebAuthn L3 §5.1, RegistrationResponseJSON and AuthenticationResponseJSON). */
const MEMBERS = ['id', 'rawId', 'type', 'response', 'authenticatorAttachment', 'clientExtensionResults'];
const RESPONSE_MEMBERS: Readonly<Record<CeremonyKind, readonly string[]>> = {
  registration: ['clientDataJSON', 'attestationObject', 'authenticatorData', 'transports', 'publicKey', 'publicKeyAlgorithm'],
  authentication: ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'],
};

/** A part of a request body that holds the credential or one of its members, and the expression that sends it in a profile. */
export interface CredentialPart {
  readonly path: readonly Step[];
  readonly expression: string;
}

/**
 * Finds the parts of a request body that hold the credential: one object if it has the form of `toJSON()`, otherwise one part for each
 * member.
 *
 * @param known credential IDs of earlier registrations, in base64url.
 */
export function credentialParts(body: unknown, { kind, leaf }: RecordedCeremony, known: readonly string[]): CredentialPart[] {
  const response = findParent(body, leaf);
  const outer = response && findParent(body, { path: response.path, value: '' });
  const last = response?.path.at(-1);
  const members = listMembers(body, { kind, leaf }, known);
  const isWhole =
    response !== undefined &&
    outer !== undefined &&
    last !== undefined &&
    'key' in last &&
    last.key === 'response' &&
    Object.keys(outer.value).every((key) => MEMBERS.includes(key)) &&
    Object.keys(response.value).every((key) => RESPONSE_MEMBERS[kind].includes(key)) &&
    members.every(({ filter }) => filter === '');
  if (isWhole) return [{ path: outer.path, expression: 'credential' }];
  const others = listLeaves(body).flatMap((each): CredentialPart[] => {
    const last = each.path.at(-1);
    // A list of them: each of its elements says so, and they are one part.
    if (kind === 'registration' && last && 'index' in last && isTransports(each)) {
      return [{ path: each.path.slice(0, -1), expression: 'credential.response.transports?' }];
    }
    const expression = findByName(each, kind);
    return expression === undefined ? [] : [{ path: each.path, expression }];
  });
  return [...members.map(({ path, member, filter }) => ({ path, expression: `credential.${member}?${filter}` })), ...others];
}

/** A member of the credential that the page sends as encoded bytes, with the filter that encodes bytes in the same way. */
interface SentMember extends Leaf {
  readonly member: string;
  readonly filter: string;
}

function listMembers(body: unknown, ceremony: Pick<RecordedCeremony, 'kind' | 'leaf'>, known: readonly string[]): SentMember[] {
  const leaves = listLeaves(body);
  const ids = leaves.some(({ value }) => isKnown(value, known)) ? known : undefined;
  const found = leaves.flatMap((each) => {
    const member = findMember(each, ceremony, ids);
    return member === undefined ? [] : [{ ...each, member, spelling: readSpelling(String(each.value)) }];
  });
  return found.map(({ path, value, member, spelling }) => {
    // Pages have the ID as text already, and make all else of bytes: one tells nothing of the other.
    const alike = found.filter((other) => (other.member === 'id') === (member === 'id')).map((other) => other.spelling);
    const padded = spelling.padded ?? alike.find((each) => each.padded !== undefined)?.padded;
    const alphabet = spelling.alphabet ?? alike.find((each) => each.alphabet)?.alphabet ?? (padded === true ? 'base64' : 'base64url');
    return { path, value, member, filter: alphabet === 'base64' ? ' | base64' : padded === true ? ' | padded' : '' };
  });
}

/** How a string writes base64: its alphabet and whether it has padding, as far as the string shows. */
interface Spelling {
  readonly alphabet: 'base64' | 'base64url' | undefined;
  readonly padded: boolean | undefined;
}

function readSpelling(text: string): Spelling {
  const padded = text.endsWith('=') ? true : text.length % 4 === 0 ? undefined : false;
  return { alphabet: /[+/]/.test(text) ? 'base64' : /[-_]/.test(text) ? 'base64url' : undefined, padded };
}

const isTransports = ({ path, value }: Leaf): boolean => typeof value === 'string' && /transports?$/i.test(lastKey(path));

const isKnown = (value: Leaf['value'], known: readonly string[]): boolean =>
  typeof value === 'string' && known.includes(plainBase64(value));

/**
 * Finds out which member of the credential a value in the body holds, for members that are not bytes, from the name that the page gives to
 * the value.
 */
function findByName({ path, value }: Leaf, kind: CeremonyKind): string | undefined {
  const key = lastKey(path);
  if (/extension_?results/i.test(key) && typeof value === 'string') return 'credential.clientExtensionResults? | string';
  if (/^(?:public_?key_?algorithm|alg)$/i.test(key)) return 'credential.response.publicKeyAlgorithm?';
  if (/attachment/i.test(key)) return 'credential.authenticatorAttachment?';
  return kind === 'registration' && isTransports({ path, value }) ? 'credential.response.transports? | join ","' : undefined;
}

/**
 * Finds out which member of the credential a value in the body holds: from its bytes if they are recognised, otherwise from its name.
 *
 * @param ids credential IDs, of which the body contains at least one; undefined if the body contains none of them, so that the ID must be
 * found by its name
 */
function findMember(
  { path, value }: Leaf,
  { kind, leaf }: Pick<RecordedCeremony, 'kind' | 'leaf'>,
  ids: readonly string[] | undefined,
): string | undefined {
  const key = lastKey(path);
  if (typeof value !== 'string' || value === '' || decodeBase64(value) === undefined) return undefined;
  if (readClientData(value) !== undefined) return 'response.clientDataJSON';
  if (readAttested(value) !== undefined) return 'response.attestationObject';
  if (ids !== undefined && isKnown(value, ids)) return /raw/i.test(key) ? 'rawId' : 'id';
  if (/signature$/i.test(key)) return 'response.signature';
  if (AUTHENTICATOR_DATA.test(key)) return 'response.authenticatorData';
  if (USER_HANDLE.test(key)) return 'response.userHandle';
  if (/public_?key$/i.test(key) && kind === 'registration') return 'response.publicKey';
  // The ID of a user stands beside its name.
  const isBeside = path.slice(0, -1).every((step, at) => isDeepStrictEqual(step, leaf.path[at]));
  if (ids !== undefined || !isBeside) return undefined;
  return /^raw_?id$/i.test(key) ? 'rawId' : /(?:^|credential_?)id$/i.test(key) ? 'id' : undefined;
}
