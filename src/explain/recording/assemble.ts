import { FIXTURE_FORMAT, FIXTURE_VERSION, type Fixture, type FixtureCredential, type FixturePolicy } from '../../fixture/format.js';
import type { RecordingTool } from '../../fixture/recorded-ceremony.js';
import { withoutSecrets } from '../../fixture/response.js';
import { encodeUtf8, equalBytes } from '../../kernel/bytes.js';
import { asObject, type JsonObject } from '../../kernel/json-value.js';
import { readAttestationRoots } from '../../relying-party/attestation/roots.js';
import { hashOfRpId, hostSuffixes } from '../../relying-party/diagnosis/rp-id.js';
import { DEFAULT_POLICY, userVerificationRequirement } from '../../relying-party/policy.js';
import { ALGORITHMS } from '../../webauthn/algorithms.js';
import type { AuthenticatorData } from '../../webauthn/authenticator-data.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { ATTESTATION_CONVEYANCES, knownValue, REQUIREMENT_LEVELS } from '../../webauthn/enumerations.js';
import { writePem } from '../../webauthn/pem.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import type { ReadCredential } from '../annotate/read-credential.js';
import { challengeState } from '../ceremonies.js';
import type { Expectations } from '../expectations.js';
import { decodeText, readAlgorithms, readRpId, readUserHandle, readUserVerification } from '../requested-options.js';
import { standardOptions } from './options.js';
import type { CredentialPart, OptionsPart } from './parts.js';
import { type KnownRecord, recordOfKey, recordOfRegistration } from './record.js';

/** The parts from which a fixture is made. `given` overrides the values of the input. */
interface Pieces {
  readonly part: CredentialPart;
  readonly options: OptionsPart | undefined;
  /** Credential record as it was before this authentication. */
  readonly record: KnownRecord | undefined;
  readonly given: Expectations;
  readonly tool: RecordingTool;
  /** Current time, in milliseconds since the epoch. */
  readonly now: number;
}

/** A fixture without a final verdict, or the reason why no fixture can be made. */
type Assembled =
  | {
      readonly fixture: Fixture;
      /** Facts that are known only from the response itself and are therefore not checked, such as "the challenge". */
      readonly unchecked: readonly string[];
      readonly userHandle: Uint8Array | undefined;
    }
  /** The reason, in whole sentences. */
  | { readonly reason: string };

const NO_OPTIONS = 'Give the options (--options FILE), or --challenge, --origin and --rp-id';

/** Combines the parts into a fixture. Its `expected` is `verified` until the steps have checked the fixture. */
export function assembleFixture({ part, options, record, given, tool, now }: Pieces): Assembled {
  const { kind, credential } = part;
  const unchecked: string[] = [];
  const fromResponse = <T>(what: string, value: T | undefined): T | undefined => {
    if (value !== undefined) unchecked.push(what);
    return value;
  };
  const { decoded } = credential.clientDataJSON;
  const clientData = decoded?.ok === true ? decoded.value : undefined;
  const asked = options === undefined ? undefined : standardOptions(kind, options.json);
  const data = readData(credential);

  const challenge =
    (given.challenges && challengeState(credential, given.challenges)?.challenge) ??
    decodeText(asked?.['challenge']) ??
    fromResponse('the challenge', decodeText(clientData?.challenge));
  const fromPage = part.origin === undefined ? undefined : [part.origin];
  const origins = given.origins ?? fromPage ?? fromResponse('the origin', clientData && [clientData.origin]);
  if (challenge === undefined || origins?.[0] === undefined) {
    return { reason: `Its client data cannot be read, so nothing says what was expected. ${NO_OPTIONS}.` };
  }
  const [origin] = origins;
  const rpId = given.rpId ?? readRpId(asked) ?? record?.rpId ?? rpIdByHost(origin, data, { asked, fromResponse });
  if (rpId === undefined) return { reason: `Its origin ${origin} has no host that could be the RP ID. Give --rp-id.` };

  const userHandle = readUserHandle(asked) ?? record?.userHandle;
  const sent = decodeText(credential.response['userHandle'] || undefined);
  if (kind === 'authentication' && userHandle === undefined && sent !== undefined) unchecked.push('the user handle');
  const known = kind === 'authentication' ? knownCredential({ part, record, given, data, rpId, origin, unchecked }) : undefined;
  if (known === undefined && kind === 'authentication') {
    return { reason: `${whoseKey(credential)} Give it with --registration FILE, or the key with --public-key.` };
  }
  const id = credential.json['id'];
  const answeredAt = given.at ?? part.at ?? now;
  const issuedAt = Math.min(options?.at ?? answeredAt, answeredAt);
  const { topOrigin } = clientData ?? {};
  const mediation = kind === 'registration' ? (given.mediation ?? part.mediation) : undefined;
  const policy = inferPolicy({ asked, given, kind, elapsed: answeredAt - issuedAt, attested: isAttested(credential) });
  const members = withAppId(asked ?? optionsWithout(kind, encodeBase64url(challenge), sent === undefined ? id : undefined), given);
  if (kind === 'registration' && (given.algorithms ?? readAlgorithms(asked)) === undefined) unchecked.push('the algorithm');
  const rpName = suggestName(asked) ?? rpId;
  const made = kind === 'registration' ? recordOfRegistration(credential, { rpName, origin: clientData?.origin ?? origin }) : known;
  const fixture: Fixture = {
    format: FIXTURE_FORMAT,
    version: FIXTURE_VERSION,
    name: 'imported',
    kind,
    rpId,
    origin: origins.find((each) => each === clientData?.origin) ?? origin,
    ...(topOrigin !== undefined && { topOrigin }),
    owner: { type: 'User', id: 1, userHandle: encodeBase64url(userHandle ?? sent ?? encodeUtf8('1')) },
    ceremony: {
      options: members,
      challenge: encodeBase64url(challenge),
      issuedAt: new Date(issuedAt).toISOString(),
      answeredAt: new Date(answeredAt).toISOString(),
      origins: [...origins],
      policy,
      ...(mediation !== undefined && { mediation }),
      ...(kind === 'authentication' && { discoverable: !namesCredentials(members) }),
    },
    ...(made !== undefined && { credential: made }),
    response: withoutSecrets(credential.json),
    expected: { outcome: 'verified' },
    provenance: { ...tool, recordedAt: new Date(answeredAt).toISOString() },
  };
  return { fixture, unchecked, userHandle };
}

function readData({ attestedData, authenticatorData }: ReadCredential): AuthenticatorData | undefined {
  const decoding = attestedData ?? authenticatorData.decoded;
  return decoding?.ok === true ? decoding.value : undefined;
}

interface HostClues {
  readonly asked: JsonObject | undefined;
  readonly fromResponse: (what: string, value: string | undefined) => string | undefined;
}

/**
 * Infers the RP ID from the host of the page. If options were given without an RP ID, it is the host itself. Without options, it is the
 * host or the parent domain whose hash is in the authenticator data.
 */
function rpIdByHost(origin: string, data: AuthenticatorData | undefined, { asked, fromResponse }: HostClues): string | undefined {
  const host = parseUrl(origin)?.hostname || undefined;
  if (asked !== undefined || host === undefined) return host;
  const hashed = data && hostSuffixes(host).find((candidate) => equalBytes(hashOfRpId(candidate), data.rpIdHash));
  return fromResponse('the RP ID', hashed ?? host);
}

interface KeyClues extends Pick<Pieces, 'part' | 'record' | 'given'> {
  readonly data: AuthenticatorData | undefined;
  readonly rpId: string;
  readonly origin: string;
  readonly unchecked: string[];
}

/** Makes the credential record for an authentication; undefined if its public key is unknown. */
function knownCredential({ part, record, given, data, rpId, origin, unchecked }: KeyClues): FixtureCredential | undefined {
  const { publicKey, signCount, backupEligible } = given;
  if (record !== undefined) {
    return {
      ...record.credential,
      ...(publicKey !== undefined && { publicKey: encodeBase64url(publicKey) }),
      ...(signCount !== undefined && { signCount }),
      ...(backupEligible !== undefined && { backupEligible }),
    };
  }
  if (publicKey === undefined) return undefined;
  if (backupEligible === undefined) unchecked.push('the backup eligibility');
  if (signCount === undefined) unchecked.push('the sign count');
  const made = recordOfKey(publicKey, { id: part.credential.json['id'], signCount, data }, { rpName: rpId, origin });
  return { ...made, ...(backupEligible !== undefined && { backupEligible }) };
}

function whoseKey({ json: { id } }: ReadCredential): string {
  const shown = typeof id === 'string' && id.length > 0 ? ` of credential ${id.slice(0, 16)}${id.length > 16 ? '…' : ''}` : '';
  return `Its public key is unknown: no accepted registration${shown} is among the inputs.`;
}

interface PolicyClues {
  readonly asked: JsonObject | undefined;
  readonly given: Expectations;
  readonly kind: Fixture['kind'];
  /** Time between options and response, in milliseconds. */
  readonly elapsed: number;
  readonly attested: boolean;
}

/**
 * Infers the relying party's policy from the options or, without options, assumes a policy that fits the response. If the relying party
 * accepted a late response, the inferred policy keeps challenges for longer.
 */
function inferPolicy({ asked, given, kind, elapsed, attested }: PolicyClues): FixturePolicy {
  const { timeout: milliseconds, attestation, authenticatorSelection } = asObject(asked);
  const { residentKey, requireResidentKey } = asObject(authenticatorSelection);
  const timeout =
    typeof milliseconds === 'number' && Number.isInteger(milliseconds) && milliseconds > 0 ? milliseconds : DEFAULT_POLICY.timeout;
  const every = kind === 'registration' ? ALGORITHMS.map(({ id }) => id) : DEFAULT_POLICY.algorithms;
  const userVerification = readUserVerification(asked);
  return {
    algorithms: [...(given.algorithms ?? readAlgorithms(asked) ?? every)],
    attestation: knownValue(attestation, ATTESTATION_CONVEYANCES) ?? (asked === undefined && attested ? 'direct' : 'none'),
    userVerification: given.requireUv
      ? 'required'
      : userVerificationRequirement(typeof userVerification === 'string' ? userVerification : undefined),
    residentKey: knownValue(residentKey, REQUIREMENT_LEVELS) ?? (requireResidentKey === true ? 'required' : 'preferred'),
    attestationRoots: readAttestationRoots(given.roots ?? []).map(({ bytes }) => writePem(bytes)),
    ...(given.selfAttestation !== undefined && { selfAttestation: given.selfAttestation }),
    topOrigins: [...(given.topOrigins ?? [])],
    timeout,
    challengeTtl: Math.max(2 * timeout, elapsed + 1000),
  };
}

function isAttested({ attestationObject: { decoded } }: ReadCredential): boolean {
  return decoded?.ok === true && decoded.value.fmt !== 'none';
}

/**
 * Makes minimal options for a ceremony that was recorded without options. The options for a login without a user handle name the
 * credential.
 */
function optionsWithout(kind: Fixture['kind'], challenge: string, asked: unknown): Record<string, unknown> {
  const named = kind === 'authentication' && typeof asked === 'string';
  return { challenge, ...(named && { allowCredentials: [{ type: 'public-key', id: asked }] }) };
}

function withAppId(options: Record<string, unknown>, { appId }: Expectations): Record<string, unknown> {
  return appId === undefined ? options : { ...options, extensions: { ...asObject(options['extensions']), appid: appId } };
}

function namesCredentials({ allowCredentials }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(allowCredentials) && allowCredentials.length > 0;
}

function suggestName(options: JsonObject | undefined): string | undefined {
  const { name } = asObject(options?.['rp']);
  return typeof name === 'string' ? name : undefined;
}
