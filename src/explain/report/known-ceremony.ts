import type { JsonObject } from '../../kernel/json-value.js';
import type { MetadataBlob } from '../../relying-party/attestation/metadata-blob.js';
import { unknownCredentialHint } from '../../relying-party/diagnosis/hints.js';
import { showId } from '../../relying-party/show.js';
import type { AuthenticationBytes, ChallengeState } from '../../relying-party/steps/context.js';
import { fail, leaveOpen, type StepResult, skip } from '../../relying-party/steps/step.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { RequirementLevel, SelfAttestationRule } from '../../webauthn/enumerations.js';

/** Facts about a ceremony. Those that are undefined were not given: the steps that need them stay open or are skipped. */
export interface KnownCeremony {
  readonly rpId: string | undefined;
  readonly origins: readonly string[] | undefined;
  readonly challenge: ChallengeState | undefined;
  /** Empty: a cross-origin iframe is not expected. */
  readonly topOrigins: readonly string[];
  readonly userVerification: RequirementLevel;
  /** Why the others are not known, as a sentence goes on after "skipped:"; undefined: they were not given. */
  readonly whyUnknown?: string | undefined;
  /** The options that were sent, for advice only. */
  readonly options: JsonObject | undefined;
  /** Milliseconds since the epoch: certificates are judged as of then. */
  readonly at: number;
}

export interface KnownRegistration extends KnownCeremony {
  /** `conditional` where the page called `create()` with it; undefined: it did not, or nobody said. */
  readonly mediation?: 'conditional' | undefined;
  /** COSEAlgorithmIdentifiers offered. */
  readonly algorithms: readonly number[] | undefined;
  /** PEM or DER; empty: trust is not assessed. */
  readonly attestationRoots: readonly (string | Uint8Array)[];
  /** Its roots of the authenticator's model count too, and its reports such as `REVOKED` rule the model out. */
  readonly metadata?: MetadataBlob | undefined;
  /** Undefined: self attestation is acceptable. */
  readonly selfAttestation?: SelfAttestationRule | undefined;
  readonly credentialKnown: boolean | undefined;
}

/** The credential record as far as it is known. */
export interface KnownCredential {
  /** COSE_Key. */
  readonly publicKey: Uint8Array | undefined;
  readonly signCount: number | undefined;
  readonly backupEligible: boolean | undefined;
  readonly backupState: boolean | undefined;
  readonly userHandle: Uint8Array | undefined;
}

export interface KnownAuthentication extends KnownCeremony {
  /** `unregistered`: there is no such credential, or not any more. */
  readonly credential: KnownCredential | 'unregistered' | undefined;
  /** Credential IDs; empty: the user was not identified before. */
  readonly allowCredentials: readonly Uint8Array[];
  /** The AppID that was asked for; undefined: that of the options, if they have one. */
  readonly appId?: string | undefined;
}

/** Results of steps that cannot run, by slug: something they need was not given. */
export type Missing = ReadonlyMap<string, StepResult>;

const notGiven = (what: string) => `${what} was not given`;

/** `id` and `rawId` are both required members of the response (§5.1.8); the server refuses one without. */
export function missingId(absent: 'id' | 'rawId' | undefined): [string, StepResult][] {
  return absent === undefined
    ? []
    : [
        [
          'response',
          fail('validation_failed', {
            expected: 'a credential with id and rawId',
            received: `one without ${absent}`,
            hint: `Send ${absent} too: the whole credential, as credential.toJSON() gives it.`,
          }),
        ],
      ];
}

function missingOfCeremony({ rpId, origins, challenge, whyUnknown }: KnownCeremony): [string, StepResult][] {
  const open = (slug: string, value: unknown, what: string): [string, StepResult][] =>
    value === undefined ? [[slug, leaveOpen(whyUnknown ?? notGiven(what))]] : [];
  return [
    ...open('challenge', challenge, 'the challenge (--challenge)'),
    ...open('origin', origins, 'the expected origin (--origin)'),
    ...open('rp-id-hash', rpId, 'the RP ID (--rp-id)'),
  ];
}

export function missingOfRegistration(known: KnownRegistration): Missing {
  const { algorithms, whyUnknown } = known;
  const offered: [string, StepResult][] =
    algorithms === undefined ? [['algorithm', leaveOpen(whyUnknown ?? notGiven('the list of offered algorithms (--algorithms)'))]] : [];
  return new Map([...missingOfCeremony(known), ...offered]);
}

export function missingOfAuthentication(
  known: KnownAuthentication,
  { id, clientExtensionResults }: Pick<AuthenticationBytes, 'id' | 'clientExtensionResults'>,
): Missing {
  const { credential, appId, options } = known;
  if (credential === 'unregistered') {
    const gone = skip('there is no registered credential to hold it against');
    return new Map<string, StepResult>([
      ...missingOfCeremony(known),
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
  const missing = (slug: string, what: string, value: unknown, leave = leaveOpen): [string, StepResult][] =>
    value === undefined ? [[slug, leave(known.whyUnknown ?? notGiven(what))]] : [];
  // Where the client says that it used an AppID, the hash is that of the one the options asked for (§10.1.1).
  const usedAppId = clientExtensionResults['appid'] === true && appId === undefined && options === undefined;
  return new Map([
    ...missing('rp-id-hash', 'the AppID that the client used (--app-id)', usedAppId ? undefined : true),
    ...missingOfCeremony(known),
    ...missing('user-handle', 'the user account of the credential', credential?.userHandle, skip),
    ...missing('backup-eligibility', 'the backup eligibility at registration (--backup-eligible)', credential?.backupEligible),
    ...missing('signature', 'the public key (--public-key)', credential?.publicKey),
    ...missing('sign-count', 'the stored sign count (--sign-count)', credential?.signCount),
  ]);
}
