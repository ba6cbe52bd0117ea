import { createHash } from 'node:crypto';
import { equalBytes } from '../../../kernel/bytes.js';
import { asObject, type JsonObject } from '../../../kernel/json-value.js';
import { decodeBase64url } from '../../../webauthn/base64url.js';
import type { CeremonyKind } from '../../../webauthn/enumerations.js';
import { buildCreation, buildRequest, type PageOptions } from '../page-options.js';
import type { ProfileRequest } from '../profile-schema.js';
import type { RecordedCeremony } from './ceremonies.js';
import { encodeText, type RecordedChallenge } from './challenge.js';
import type { Known } from './generalise.js';
import type { PageLiterals } from './literals.js';
import type { RecordedOptions } from './options.js';

/** A ceremony whose options the page may have built itself. */
interface BuiltCeremony extends RecordedCeremony {
  readonly options: RecordedOptions;
  /** The challenge that the server sent. Undefined if the server sent complete options instead. */
  readonly challenge: RecordedChallenge | undefined;
}

/** Facts about the recorded page. */
interface RecordedPage {
  readonly known: Known;
  /** User handle of the passkey in base64url; undefined if it was not recorded. */
  readonly handle: string | undefined;
  readonly literals: PageLiterals;
  /** Whether a request told the server which user logs in. */
  readonly isNamed: boolean;
}

/**
 * Writes the profile step that builds the options as the page did: from members that the server sent with the challenge, from literals in
 * the page's scripts, and from the recorded ceremony. Empty if the server sends complete options.
 */
export function buildOptions(ceremony: BuiltCeremony, page: RecordedPage): readonly ProfileRequest[] {
  const { kind, challenge } = ceremony;
  if (challenge === undefined) return [];
  const sent = findSent(ceremony, challenge, page.known);
  const common = {
    challenge: `{${page.known.expressionFor(challenge)}${challenge.filter}}`,
    rpId: readRpId(ceremony),
    more: copySent(sent, kind),
  };
  return [
    kind === 'registration'
      ? buildCreation({ ...common, ...writeCreation(ceremony, page), user: writeUser(sent, page, ceremony.index) })
      : buildRequest({ ...common, ...writeRequest(sent, page) }),
  ];
}

/** The object in the server's response that contains the challenge and other members of the options. */
interface SentMembers {
  readonly json: JsonObject;
  /** Expression that refers to this object in the profile. */
  readonly expression: string;
}

const NOTHING_SENT: SentMembers = { json: {}, expression: '' };

/**
 * Members of options that a server may send along with the challenge. All are copied whole except `user`, whose members are written one by
 * one.
 */
const MEMBERS: Readonly<Record<CeremonyKind, readonly string[]>> = {
  registration: ['rp', 'user', 'timeout', 'pubKeyCredParams', 'excludeCredentials', 'authenticatorSelection', 'attestation', 'extensions'],
  authentication: ['rpId', 'timeout', 'allowCredentials', 'userVerification', 'extensions'],
};

function findSent({ kind, options: { json, source } }: BuiltCeremony, { index }: RecordedChallenge, known: Known): SentMembers {
  if (!Object.keys(json).some((name) => MEMBERS[kind].includes(name))) return NOTHING_SENT;
  const expression = known.expressionFor({ index, found: { value: '', source, name: 'sent' } });
  return expression === undefined ? NOTHING_SENT : { json, expression };
}

function copySent({ json, expression }: SentMembers, kind: CeremonyKind): JsonObject {
  const present = MEMBERS[kind].filter((name) => name !== 'user' && (json[name] ?? null) !== null);
  return Object.fromEntries(present.map((name) => [name, { $: `${expression}.${name}` }]));
}

/** Finds the RP ID, from its hash, if it is a parent domain of the page's host. Undefined if the RP ID is the host itself. */
function readRpId({ clientData, rpIdHash }: RecordedCeremony): string | undefined {
  const labels = new URL(clientData.origin).hostname.split('.');
  const domains = labels.map((_, index) => labels.slice(index).join('.'));
  const at = domains.findIndex((domain) => rpIdHash !== undefined && equalBytes(createHash('sha256').update(domain).digest(), rpIdHash));
  return at > 0 ? domains[at] : undefined;
}

type Creation = Pick<PageOptions, 'algorithms' | 'authenticatorSelection' | 'attestation'>;

function writeCreation({ made }: BuiltCeremony, { literals, isNamed }: RecordedPage): Creation {
  const { algorithms, userVerification, residentKey = isNamed ? undefined : 'required', attestation } = literals;
  const selection = { ...(residentKey && { residentKey }), ...(userVerification && { userVerification }) };
  const isAttested = made !== undefined && made.format !== 'none';
  return {
    algorithms: algorithms.length === 0 && made !== undefined ? [made.algorithm] : algorithms,
    authenticatorSelection: Object.keys(selection).length > 0 ? selection : undefined,
    attestation: attestation ?? (isAttested ? 'direct' : undefined),
  };
}

function writeUser({ json, expression }: SentMembers, { known, handle }: RecordedPage, before: number): JsonObject {
  const { id, name, displayName } = asObject(json['user']);
  const member = (path: string) => `{${expression}.user.${path}}`;
  const isText = handle !== undefined && encodeText(String(id)) === handle;
  return {
    id: typeof id === 'string' ? member(isText ? 'id | bytes' : 'id') : writeHandle(known, handle, before),
    name: typeof name === 'string' ? member('name') : '{user.name}',
    displayName: typeof displayName === 'string' ? member('displayName') : '{user.displayName}',
  };
}

/**
 * Writes the user handle as an expression: the bytes of one of the user's names if they match, a value of an earlier response, or otherwise
 * the bytes of the user's name.
 */
function writeHandle({ user, provenance, expressionFor }: Known, handle: string | undefined, before: number): string {
  const name = [...user].find(([text, expression]) => expression !== 'user.handle' && encodeText(text) === handle)?.[1] ?? 'user.name';
  if (handle === undefined) return `{${name} | bytes}`;
  const text = new TextDecoder().decode(decodeBase64url(handle));
  const [asBytes, asText] = [provenance.findProvider(handle, 'id', before), provenance.findProvider(text, 'id', before)];
  if (asBytes !== undefined) return `{${expressionFor(asBytes)}}`;
  return asText === undefined ? `{${name} | bytes}` : `{${expressionFor(asText)} | bytes}`;
}

function writeRequest(
  { json }: SentMembers,
  { literals, isNamed }: RecordedPage,
): Pick<PageOptions, 'userVerification' | 'allowCredentials'> {
  const isGiven = Array.isArray(json['allowCredentials']);
  return {
    userVerification: literals.userVerification,
    allowCredentials: isNamed && !isGiven ? [{ type: 'public-key', id: '{registered.credentialId}' }] : undefined,
  };
}
