import { spellFlag } from '../kernel/wording.js';
import type { CeremonyKind, SelfAttestationRule } from '../webauthn/enumerations.js';
import type { Reading } from './parse-expectation.js';

/**
 * Values that the caller expects of a ceremony. For a missing value, the recording is used. Without either, the step that needs the value
 * stays open.
 */
export interface ExplainExpectations {
  readonly rpId?: string | undefined;
  /** One or more accepted origins, such as `https://example.org`. */
  readonly origin?: string | readonly string[] | undefined;
  /** Origins of pages that may embed the page of the ceremony in an iframe. */
  readonly topOrigin?: string | readonly string[] | undefined;
  /** The challenge that the server issued: bytes, or text in base64url, base64 or hexadecimal. */
  readonly challenge?: string | Uint8Array | undefined;
  /**
   * For an authentication: the public key in any form and encoding (COSE, SPKI, PEM, JWK, a point). Also accepts a database row that
   * contains the key, or the registration or fixture that the key came from.
   */
  readonly publicKey?: string | Uint8Array | object | undefined;
  /** For an authentication: the stored signature counter. Default: the counter in the registration or fixture given as `publicKey`. */
  readonly signCount?: number | undefined;
  /** For an authentication: the stored backup eligibility. Default: the BE flag in the registration or fixture given as `publicKey`. */
  readonly backupEligible?: boolean | undefined;
  /** For an authentication: the AppID in the extension `appid` of the options (§10.1.1). */
  readonly appId?: string | undefined;
  /** For a registration: the algorithms that the server offered, by name or COSEAlgorithmIdentifier. */
  readonly algorithms?: readonly (number | string)[] | undefined;
  readonly requireUserVerification?: boolean | undefined;
  /**
   * For a registration: `conditional` if the page called `create()` with this `mediation`. User presence is then not required (§7.1 step
   * 15).
   */
  readonly mediation?: 'conditional' | undefined;
  /** Root certificates that an attestation may lead to, as PEM or DER. */
  readonly roots?: readonly (string | Uint8Array)[] | undefined;
  /** Whether the server accepts self attestation (§7.1 step 24). Default: the recording's rule, otherwise `accept`. */
  readonly selfAttestation?: SelfAttestationRule | undefined;
  /** A FIDO metadata BLOB, and the root certificates to which its signer's certificate chain must lead. */
  readonly metadata?: { readonly blob: string | Uint8Array; readonly roots: readonly (string | Uint8Array)[] } | undefined;
  /** Names by AAGUID, used instead of the package's table. Each is a string or an object with a `name`. */
  readonly aaguidNames?: Readonly<Record<string, string | { readonly name: string }>> | undefined;
  /**
   * Time at which certificates must be valid: a Date, milliseconds since the epoch, or an ISO 8601 string. Default: the time of the
   * recording, otherwise now.
   */
  readonly at?: Date | number | string | undefined;
}

export interface ExpectationMember {
  /** Name of the flag of `passkey explain`, if it differs from the member's name. */
  readonly flag?: string;
  /** Set if the flag has no value. */
  readonly isSwitch?: true;
  readonly meaning: string;
  /** Subject of the sentence "… was not given", in which messages report a missing expectation. */
  readonly label: string;
  /** Where an application usually has the value, in the terms of SimpleWebAuthn. */
  readonly source?: string;
  /** Set if the flag may be given several times. */
  readonly several?: true;
  /** Slug of the step that stays open without this expectation. */
  readonly step?: string;
  /** The only kind of ceremony that the expectation applies to. */
  readonly of?: CeremonyKind;
  /** Type to which the flag's text is converted; undefined for a string. */
  readonly reads?: Reading;
  /** All allowed values of the expectation. */
  readonly choices?: readonly string[];
}

/** Every expectation for a ceremony. The flags of the command, `passkey-cli/explain`, `POST /dev/explain` and the page all accept them. */
export const EXPECTATION_MEMBERS = {
  rpId: { meaning: 'expected RP ID', label: 'the expected RP ID', step: 'rp-id-hash', source: '`expectedRPID` in your call' },
  origin: {
    meaning: 'expected origin',
    label: 'the expected origin',
    step: 'origin',
    source: '`expectedOrigin` in your call',
    several: true,
    reads: 'list',
  },
  challenge: {
    meaning: 'issued challenge: base64url, base64 or hexadecimal',
    label: 'the challenge',
    step: 'challenge',
    source: '`expectedChallenge` in your call',
  },
  algorithms: {
    meaning: 'for a registration: offered algorithms, by name or number, such as ES256,RS256',
    label: 'the list of offered algorithms',
    step: 'algorithm',
    source: '`pubKeyCredParams` of your options',
    of: 'registration',
    reads: 'list',
  },
  publicKey: {
    meaning: 'for a login: key (COSE, SPKI, PEM, JWK, a point), a database row with it, or its registration, as text or file',
    label: 'the stored public key',
    step: 'signature',
    source: '`credential.publicKey` in your call',
    of: 'authentication',
  },
  signCount: {
    meaning: 'for a login: stored signature counter',
    label: 'the stored sign count',
    step: 'sign-count',
    source: '`credential.counter` in your call',
    of: 'authentication',
    reads: 'number',
  },
  backupEligible: {
    meaning: 'for a login: stored backup eligibility, true or false',
    label: 'the backup eligibility at registration',
    step: 'backup-eligibility',
    source: 'true where you stored `credentialDeviceType` "multiDevice"',
    of: 'authentication',
    reads: 'boolean',
    choices: ['true', 'false'],
  },
  appId: {
    meaning: 'for a login: AppID in the extension appid of its options',
    label: 'the AppID that the client used',
    source: '`extensions.appid` of your options',
    of: 'authentication',
  },
  requireUserVerification: {
    flag: 'requireUv',
    isSwitch: true,
    meaning: 'require user verification; --no-require-uv: do not require it',
    label: 'whether user verification is required',
    step: 'user-verified',
    source: '`requireUserVerification` in your call (SimpleWebAuthn requires it by default)',
    reads: 'boolean',
    choices: ['true', 'false'],
  },
  mediation: {
    meaning: 'for a registration: "conditional" if create() was called with it; then UP may be unset',
    label: 'the mediation',
    source: '`mediation` in the call of create()',
    of: 'registration',
    choices: ['conditional'],
  },
  topOrigin: {
    meaning: 'origin of the page that may embed this page',
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
    meaning: 'accept or refuse self attestation of a registration (default: as in the recording, otherwise accept)',
    label: 'the rule for self attestation',
  },
  metadata: {
    meaning: 'FIDO metadata BLOB: adds roots, name and status of the authenticator',
    label: 'the FIDO metadata BLOB',
  },
  aaguidNames: {
    flag: 'aaguids',
    meaning: 'names by AAGUID (JSON) to use instead of the built-in ones',
    label: 'the names by AAGUID',
  },
  at: {
    meaning: 'time at which certificates are judged (default: that of the recording, otherwise now)',
    label: 'the time of verification',
    source: 'the date of the log line, or of the request',
  },
} as const satisfies Readonly<Record<keyof ExplainExpectations, ExpectationMember>>;

const ROWS: Readonly<Record<string, ExpectationMember>> = EXPECTATION_MEMBERS;

/** Makes the flag of an expectation from its name: `rpId` → `--rp-id`. */
export const expectationFlag = (name: string): string => spellFlag(ROWS[name]?.flag ?? name);

/** Writes a flag with its value, as users type them: `--rp-id example.org`. */
export const expectationArgument = (name: string, value: string): string =>
  ROWS[name]?.isSwitch ? expectationFlag(name) : `${expectationFlag(name)} ${value}`;

/** Expectations whose values occur in an application's code, with a help text that says where. */
export const STATED_EXPECTATIONS = Object.entries<ExpectationMember>(EXPECTATION_MEMBERS).flatMap(
  ([name, { label, source, step, of, reads, choices }]) =>
    source === undefined ? [] : [{ name, help: `${label}: ${source}`, step, of, reads, choices }],
);
