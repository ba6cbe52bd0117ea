import { spellFlag } from '../kernel/wording.js';
import type { CeremonyKind, SelfAttestationRule } from '../webauthn/enumerations.js';
import type { Reading } from './parse-expectation.js';

/** Expectations of a ceremony. Missing ones come from the recording; a step without its expectation stays open. */
export interface ExplainExpectations {
  readonly rpId?: string | undefined;
  /** One or several, such as `https://example.org`. */
  readonly origin?: string | readonly string[] | undefined;
  /** Pages that may embed the page of the ceremony. */
  readonly topOrigin?: string | readonly string[] | undefined;
  /** The challenge that was issued: bytes, or base64url, base64 or hexadecimal. */
  readonly challenge?: string | Uint8Array | undefined;
  /** For an authentication: a key in any form and encoding (COSE, SPKI, PEM, JWK, a point), a database row with one, or the registration or fixture it came with. */
  readonly publicKey?: string | Uint8Array | object | undefined;
  /** For an authentication: the stored signature counter. Default: that of the registration or fixture that `publicKey` is. */
  readonly signCount?: number | undefined;
  /** For an authentication: the stored backup eligibility. Default: that of the registration or fixture that `publicKey` is. */
  readonly backupEligible?: boolean | undefined;
  /** For an authentication: the AppID that its options had in the extension `appid` (§10.1.1). */
  readonly appId?: string | undefined;
  /** For a registration: the algorithms that were offered, by name or COSEAlgorithmIdentifier. */
  readonly algorithms?: readonly (number | string)[] | undefined;
  readonly requireUserVerification?: boolean | undefined;
  /** For a registration: `conditional` if the page called `create()` with it; then the user need not have been present (§7.1 step 15). */
  readonly mediation?: 'conditional' | undefined;
  /** Attestation roots as PEM or DER. */
  readonly roots?: readonly (string | Uint8Array)[] | undefined;
  /** Whether a registration may attest itself (§7.1 step 24). Default: that of the recording, else `accept`. */
  readonly selfAttestation?: SelfAttestationRule | undefined;
  /** A FIDO metadata BLOB, and the root certificates that its signature must lead to. */
  readonly metadata?: { readonly blob: string | Uint8Array; readonly roots: readonly (string | Uint8Array)[] } | undefined;
  /** Names by AAGUID, or objects with a `name`, in place of the package's table. */
  readonly aaguidNames?: Readonly<Record<string, string | { readonly name: string }>> | undefined;
  /** Time of verification, for certificates: a Date, milliseconds since the epoch or an ISO 8601 text. Default: that of the recording, else now. */
  readonly at?: Date | number | string | undefined;
}

export interface ExpectationMember {
  /** Name of its flag of `passkey explain`, if it differs. */
  readonly flag?: string;
  /** A flag without a value. */
  readonly isSwitch?: true;
  readonly meaning: string;
  /** Begins the sentence that says it was not given. */
  readonly label: string;
  /** Where its value is in an application; names are those of SimpleWebAuthn. */
  readonly source?: string;
  /** May be given several times. */
  readonly several?: true;
  /** Slug of the step that stays open without it. */
  readonly step?: string;
  /** The only ceremony that it is of. */
  readonly of?: CeremonyKind;
  /** How its text is read, if its value is not a text. */
  readonly reads?: Reading;
  /** All there are. */
  readonly choices?: readonly string[];
}

/** Every expectation of a ceremony. The flags, `passkey-cli/explain`, `POST /dev/explain` and the page take the same. */
export const EXPECTATION_MEMBERS = {
  rpId: { meaning: 'RP ID that is expected', label: 'the expected RP ID', step: 'rp-id-hash', source: '`expectedRPID` in your call' },
  origin: {
    meaning: 'origin that is expected',
    label: 'the expected origin',
    step: 'origin',
    source: '`expectedOrigin` in your call',
    several: true,
    reads: 'list',
  },
  challenge: {
    meaning: 'challenge that was issued: base64url, base64 or hexadecimal',
    label: 'the challenge',
    step: 'challenge',
    source: '`expectedChallenge` in your call',
  },
  algorithms: {
    meaning: 'of a registration: algorithms that were offered, by name or number, such as ES256,RS256',
    label: 'the list of offered algorithms',
    step: 'algorithm',
    source: '`pubKeyCredParams` of your options',
    of: 'registration',
    reads: 'list',
  },
  publicKey: {
    meaning: 'of a login: the key (COSE, SPKI, PEM, JWK, a point), a database row with it, or its registration, as text or file',
    label: 'the stored public key',
    step: 'signature',
    source: '`credential.publicKey` in your call',
    of: 'authentication',
  },
  signCount: {
    meaning: 'of a login: the stored signature counter',
    label: 'the stored sign count',
    step: 'sign-count',
    source: '`credential.counter` in your call',
    of: 'authentication',
    reads: 'number',
  },
  backupEligible: {
    meaning: 'of a login: the stored backup eligibility, true or false',
    label: 'the backup eligibility at registration',
    step: 'backup-eligibility',
    source: 'true where you stored `credentialDeviceType` "multiDevice"',
    of: 'authentication',
    reads: 'boolean',
    choices: ['true', 'false'],
  },
  appId: {
    meaning: 'of a login: the AppID that its options had in the extension appid',
    label: 'the AppID that the client used',
    source: '`extensions.appid` of your options',
    of: 'authentication',
  },
  requireUserVerification: {
    flag: 'requireUv',
    isSwitch: true,
    meaning: 'user verification is required; --no-require-uv says that it is not',
    label: 'whether user verification is required',
    step: 'user-verified',
    source: '`requireUserVerification` in your call (SimpleWebAuthn requires it by default)',
    reads: 'boolean',
    choices: ['true', 'false'],
  },
  mediation: {
    meaning: 'of a registration: "conditional", where create() was called with it; then UP may be unset',
    label: 'the mediation',
    source: '`mediation` in the call of create()',
    of: 'registration',
    choices: ['conditional'],
  },
  topOrigin: {
    meaning: 'page that may embed the one that asks',
    label: 'the page that may embed this one',
    source: '`expectedTopOrigin` in your call',
    several: true,
    reads: 'list',
  },
  roots: {
    meaning: 'attestation roots: PEM, DER or a folder of them',
    label: 'the attestation roots',
    source: '`rootCertificates` of its settings',
    several: true,
  },
  selfAttestation: {
    meaning: 'of a registration that attests itself: accept or refuse (default: that of the recording, else accept)',
    label: 'the rule for self attestation',
  },
  metadata: {
    meaning: 'FIDO metadata BLOB: adds roots, name and status of the authenticator',
    label: 'the FIDO metadata BLOB',
  },
  aaguidNames: {
    flag: 'aaguids',
    meaning: 'names by AAGUID (JSON), instead of those that passkey has',
    label: 'the names by AAGUID',
  },
  at: {
    meaning: 'time of verification, by which certificates are judged (default: that of the recording, else now)',
    label: 'the time of verification',
    source: 'the date of the log line, or of the request',
  },
} as const satisfies Readonly<Record<keyof ExplainExpectations, ExpectationMember>>;

const ROWS: Readonly<Record<string, ExpectationMember>> = EXPECTATION_MEMBERS;

/** The flag of an expectation: `rpId` → `--rp-id`. */
export const expectationFlag = (name: string): string => spellFlag(ROWS[name]?.flag ?? name);

/** The flag with a value, as users type it: `--rp-id example.org`. */
export const expectationArgument = (name: string, value: string): string =>
  ROWS[name]?.isSwitch ? expectationFlag(name) : `${expectationFlag(name)} ${value}`;

/** The expectations that an application states, and where. */
export const STATED_EXPECTATIONS = Object.entries<ExpectationMember>(EXPECTATION_MEMBERS).flatMap(
  ([name, { label, source, step, of, reads, choices }]) =>
    source === undefined ? [] : [{ name, help: `${label}: ${source}`, step, of, reads, choices }],
);
