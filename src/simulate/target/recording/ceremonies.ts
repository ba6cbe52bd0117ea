import { PasskeyError } from '../../../errors.js';
import { plainBase64 } from '../../../explain/annotate/har-entries.js';
import { decodeAttestationObject } from '../../../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../../webauthn/authenticator-data.js';
import { decodeBase64, encodeBase64url } from '../../../webauthn/base64url.js';
import { type ClientData, decodeClientData } from '../../../webauthn/client-data.js';
import type { CeremonyKind } from '../../../webauthn/enumerations.js';
import { bodyValue, type RecordedExchange } from './exchanges.js';
import { findParent, type Leaf, lastKey, listLeaves, type Step } from './leaves.js';

/** A request that sends the response of an authenticator. */
export interface RecordedCeremony {
  readonly kind: CeremonyKind;
  /** Index of the exchange. */
  readonly index: number;
  readonly clientData: ClientData;
  /** The client data as it was sent. */
  readonly leaf: Leaf;
  /** Credential ID of the new passkey, in base64url; undefined for a login. */
  readonly credentialId: string | undefined;
}

const KINDS: Readonly<Record<string, CeremonyKind>> = { 'webauthn.create': 'registration', 'webauthn.get': 'authentication' };
/** The longest client data in base64: far more than browsers write. */
const MAX_CLIENT_DATA = 16_384;

/** The ceremonies of a recording in its order, wherever in the bodies they are, told by their client data. */
export function findCeremonies(exchanges: readonly RecordedExchange[]): RecordedCeremony[] {
  return exchanges.flatMap((exchange, index): RecordedCeremony[] => {
    const leaves = listLeaves(bodyValue(exchange));
    for (const leaf of leaves) {
      const clientData = readClientData(leaf.value);
      const kind = KINDS[clientData?.type ?? ''];
      if (clientData && kind) return [{ kind, index, clientData, leaf, credentialId: attestedId(leaves) }];
    }
    return [];
  });
}

function readClientData(value: Leaf['value']): ClientData | undefined {
  const bytes =
    typeof value === 'string' && value.length <= MAX_CLIENT_DATA && /^[ \w+/-]/.test(value) ? decodeBase64(value)?.bytes : undefined;
  return bytes?.includes(0x7b) === true ? attempt(() => decodeClientData(bytes)) : undefined;
}

function attestedId(leaves: readonly Leaf[]): string | undefined {
  for (const { value } of leaves) {
    const attested = readAttested(value);
    if (attested !== undefined) return encodeBase64url(attested.credentialId);
  }
  return undefined;
}

function readAttested(value: Leaf['value']) {
  const bytes = typeof value === 'string' && value.length > 50 ? decodeBase64(value)?.bytes : undefined;
  return bytes && attempt(() => decodeAuthenticatorData(decodeAttestationObject(bytes).authData).attestedCredentialData);
}

/** Runs a decoder; undefined if it does not take the bytes. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return undefined;
  }
}

/** The members of a credential's JSON (WebAuthn L3 §5.1, RegistrationResponseJSON and AuthenticationResponseJSON). */
const MEMBERS = ['id', 'rawId', 'type', 'response', 'authenticatorAttachment', 'clientExtensionResults'];
const RESPONSE_MEMBERS: Readonly<Record<CeremonyKind, readonly string[]>> = {
  registration: ['clientDataJSON', 'attestationObject', 'authenticatorData', 'transports', 'publicKey', 'publicKeyAlgorithm'],
  authentication: ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'],
};

/** How the profile sends one member of a body. */
export interface CredentialPart {
  readonly path: readonly Step[];
  readonly expression: string;
}

/**
 * Finds the credential in a body: the whole object if it is as `toJSON()` writes it, else member by member.
 *
 * @param known credential IDs of earlier registrations, in base64url.
 */
export function credentialParts(body: unknown, { kind, leaf }: RecordedCeremony, known: readonly string[]): CredentialPart[] {
  const response = findParent(body, leaf);
  const outer = response && findParent(body, { path: response.path, value: '' });
  const last = response?.path.at(-1);
  const isWhole =
    response !== undefined &&
    outer !== undefined &&
    last !== undefined &&
    'key' in last &&
    last.key === 'response' &&
    Object.keys(outer.value).every((key) => MEMBERS.includes(key)) &&
    Object.keys(response.value).every((key) => RESPONSE_MEMBERS[kind].includes(key)) &&
    isBase64url(leaf.value);
  if (isWhole) return [{ path: outer.path, expression: 'credential' }];
  const written = isPaddedBase64(body, kind, known) ? ' | base64' : '';
  return listLeaves(body).flatMap((each): CredentialPart[] => {
    const last = each.path.at(-1);
    // A list of them: each of its elements says so, and they are one part.
    if (kind === 'registration' && last && 'index' in last && isTransports(each)) {
      return [{ path: each.path.slice(0, -1), expression: 'credential.response.transports' }];
    }
    const expression = findExpression(each, kind, known, written);
    return expression === undefined ? [] : [{ path: each.path, expression }];
  });
}

const isTransports = ({ path, value }: Leaf): boolean => typeof value === 'string' && /transports?$/i.test(lastKey(path));

const isBase64url = (value: Leaf['value']): boolean => typeof value === 'string' && /^[\w-]*$/.test(value);

/** Whether the page writes bytes in base64: some of them show it by a character of their own. */
function isPaddedBase64(body: unknown, kind: CeremonyKind, known: readonly string[]): boolean {
  const parts = listLeaves(body).filter((each) => findExpression(each, kind, known, '')?.startsWith('credential.response.') === true);
  return parts.some(({ value }) => typeof value === 'string' && /[+/=]/.test(value) && decodeBase64(value) !== undefined);
}

/** By the bytes where they tell what they are, else by the name that its page gives it. */
function findExpression({ path, value }: Leaf, kind: CeremonyKind, known: readonly string[], written: string): string | undefined {
  const key = lastKey(path);
  if (/extension_?results/i.test(key) && typeof value === 'string') return 'credential.clientExtensionResults | string';
  if (/^(?:public_?key_?algorithm|alg)$/i.test(key)) return 'credential.response.publicKeyAlgorithm';
  if (/attachment/i.test(key)) return 'credential.authenticatorAttachment?';
  if (kind === 'registration' && isTransports({ path, value })) return 'credential.response.transports | join ","';
  const bytes = typeof value === 'string' ? decodeBase64(value)?.bytes : undefined;
  if (typeof value !== 'string' || bytes === undefined || value === '') return undefined;
  const encoded = (member: string) => `credential.${member}${written}`;
  if (readClientData(value) !== undefined) return encoded('response.clientDataJSON');
  if (readAttested(value) !== undefined) return encoded('response.attestationObject');
  if (known.includes(plainBase64(value))) return encoded(/raw/i.test(key) ? 'rawId' : 'id');
  if (/signature$/i.test(key)) return encoded('response.signature');
  if (/auth(?:enticator)?_?data$/i.test(key)) return encoded('response.authenticatorData');
  if (/user_?handle$/i.test(key)) return encoded('response.userHandle');
  if (/public_?key$/i.test(key) && kind === 'registration') return encoded('response.publicKey');
  return /^raw_?id$/i.test(key) ? encoded('rawId') : /(?:^|credential_?)id$/i.test(key) ? encoded('id') : undefined;
}
