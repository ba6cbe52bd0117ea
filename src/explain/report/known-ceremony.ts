import type { JsonObject } from '../../kernel/json-value.js';
import { unknownCredentialHint } from '../../relying-party/diagnosis/hints.js';
import { showId } from '../../relying-party/show.js';
import type { AuthenticationBytes, CeremonyContext, ChallengeState, RegistrationContext } from '../../relying-party/steps/context.js';
import { fail, leaveOpen, type StepResult, skip } from '../../relying-party/steps/step.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { RequirementLevel } from '../../webauthn/enumerations.js';
import { EXPECTATION_MEMBERS, type ExpectationMember, expectationFlag } from '../expectation-members.js';

/** Facts about a ceremony; undefined if unknown. A step that needs an unknown fact stays open or is skipped. */
export interface KnownCeremony {
  readonly rpId: string | undefined;
  readonly origins: readonly string[] | undefined;
  readonly challenge: ChallengeState | undefined;
  /** Origins whose pages may embed the page of the ceremony; empty if no cross-origin iframe is expected. */
  readonly topOrigins: readonly string[];
  readonly userVerification: RequirementLevel | undefined;
  /** Why facts are unknown, as text that follows "skipped:". Undefined if they were simply not given. */
  readonly whyUnknown?: string | undefined;
  /** The options that the server sent, used only for advice. */
  readonly options: JsonObject | undefined;
  /** Time at which certificates must be valid, in milliseconds since the epoch. */
  readonly at: number;
}

type OfRegistration = 'mediation' | 'attestationRoots' | 'metadata' | 'selfAttestation' | 'credentialKnown';

export interface KnownRegistration extends KnownCeremony, Pick<RegistrationContext, OfRegistration> {
  /** COSEAlgorithmIdentifiers that the server offered. */
  readonly algorithms: readonly number[] | undefined;
}

/** The members of a credential record that are known. */
export interface KnownCredential {
  /** The public key as COSE_Key. */
  readonly publicKey: Uint8Array | undefined;
  readonly signCount: number | undefined;
  readonly backupEligible: boolean | undefined;
  readonly backupState: boolean | undefined;
  readonly userHandle: Uint8Array | undefined;
}

export interface KnownAuthentication extends KnownCeremony {
  /** `unregistered`: the server has no record of the credential, or has deleted it. */
  readonly credential: KnownCredential | 'unregistered' | undefined;
  /** Credential IDs that the options allow; empty if the user was not identified before the ceremony. */
  readonly allowCredentials: readonly Uint8Array[];
  /** The AppID that the server requested. Default: the AppID in the options. */
  readonly appId?: string | undefined;
}

/** Results for the steps that cannot run because an input was not given, by slug of the step. */
export type Missing = ReadonlyMap<string, StepResult>;

/** Explains why a step is open because its expectation was not given. Names the member and the flag, and where applications usually have the value. */
function notGiven(member: keyof typeof EXPECTATION_MEMBERS): string {
  const { label, source }: ExpectationMember = EXPECTATION_MEMBERS[member];
  return `${label} was not given: \`${member}\` (${expectationFlag(member)})${source === undefined ? '' : `, ${source}`}`;
}

/** Facts in a response that show whether a step needs an expectation, or where to find its value. */
interface Clues {
  /** The origin in the client data. */
  readonly origin: string | undefined;
  readonly userVerified: boolean | undefined;
}

export function readClues({ clientData, authenticatorData }: CeremonyContext): Clues {
  return {
    origin: clientData.ok ? clientData.value.origin : undefined,
    userVerified: authenticatorData?.ok === true ? authenticatorData.value.flags.uv : undefined,
  };
}

/** Fails the step that needs both `id` and `rawId` if one of them is absent. Both are required members of the response (§5.1.8). */
export function missingId(absent: 'id' | 'rawId' | undefined): [string, StepResult][] {
  return absent === undefined
    ? []
    : [
        [
          'response',
          fail('validation_failed', {
            expected: 'a credential with id and rawId',
            received: `one without ${absent}`,
            hint: `Send ${absent} too: the whole credential, as credential.toJSON() returns it.`,
          }),
        ],
      ];
}

/** Expectations without which a step stays open. */
type Needed = {
  [K in keyof typeof EXPECTATION_MEMBERS]: (typeof EXPECTATION_MEMBERS)[K] extends { step: string } ? K : never;
}[keyof typeof EXPECTATION_MEMBERS];

/** Makes the open result of the step that needs an expectation; empty if the value of the expectation is known. */
function missing(member: Needed, value: unknown, whyUnknown: string | undefined, more = ''): [string, StepResult][] {
  return value === undefined ? [[EXPECTATION_MEMBERS[member].step, leaveOpen(whyUnknown ?? `${notGiven(member)}${more}`)]] : [];
}

function missingOfCeremony(known: KnownCeremony, { origin, userVerified }: Clues): [string, StepResult][] {
  const { rpId, origins, challenge, userVerification, whyUnknown } = known;
  const open = (member: Needed, value: unknown, more?: string) => missing(member, value, whyUnknown, more);
  return [
    ...open('challenge', challenge),
    ...open('origin', origins, origin === undefined ? '' : `; the page was at ${origin}`),
    ...open('rpId', rpId),
    ...open('requireUserVerification', userVerified === false ? userVerification : true, '; the user was not verified'),
  ];
}

export function missingOfRegistration(known: KnownRegistration, clues: Clues): Missing {
  const { algorithms, whyUnknown } = known;
  return new Map([...missingOfCeremony(known, clues), ...missing('algorithms', algorithms, whyUnknown)]);
}

export function missingOfAuthentication(
  known: KnownAuthentication,
  { id, clientExtensionResults }: Pick<AuthenticationBytes, 'id' | 'clientExtensionResults'>,
  clues: Clues,
): Missing {
  const { credential, appId, options } = known;
  if (credential === 'unregistered') {
    const gone = skip('there is no registered credential to compare it with');
    return new Map<string, StepResult>([
      ...missingOfCeremony(known, clues),
      [
        'user-handle',
        {
          status: 'fail',
          code: 'passkey_not_found',
          expected: 'a credential that is registered',
          received: `${showId(id)}, which is not`,
          hint: unknownCredentialHint(known.rpId ?? '', encodeBase64url(id)),
        },
      ],
      ...['backup-eligibility', 'signature', 'sign-count', 'credential-record'].map((slug): [string, StepResult] => [slug, gone]),
    ]);
  }
  const open = (member: Needed, value: unknown) => missing(member, value, known.whyUnknown);
  const noHandle = skip(known.whyUnknown ?? 'the user account of the credential was not given');
  // Where the client says that it used an AppID, the hash is that of the one the options asked for (§10.1.1).
  const usedAppId = clientExtensionResults['appid'] === true && appId === undefined && options === undefined;
  const noAppId: [string, StepResult][] = usedAppId ? [['rp-id-hash', leaveOpen(known.whyUnknown ?? notGiven('appId'))]] : [];
  return new Map([
    ...noAppId,
    ...missingOfCeremony(known, clues),
    ...(credential?.userHandle === undefined ? [['user-handle', noHandle] as [string, StepResult]] : []),
    ...open('backupEligible', credential?.backupEligible),
    ...open('publicKey', credential?.publicKey),
    ...open('signCount', credential?.signCount),
  ]);
}
