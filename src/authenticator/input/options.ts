import type { AttestationFormat } from '../attestation/format.js';
import type { CredentialSourceStore } from '../credential-store.js';
import { EXTENSIONS, type ExtensionId } from '../extensions.js';
import type { KeyPairSource, RandomSource } from '../key-pair.js';
import type { AccountChooser } from '../settings.js';
import type { SignCounting } from '../sign-counter.js';
import type { UserVerifier } from '../user-verifier.js';
import {
  BYTES,
  describe,
  type Expectation,
  FLAG,
  FUNCTION,
  firstWrong,
  hasMethods,
  isListOf,
  isObject,
  oneOf,
  optional,
  TEXTS,
} from './expect.js';

/** What an authenticator is like. Nothing in it breaks the standard. */
export interface AuthenticatorTraits {
  /** 16 bytes; default zeros. */
  readonly aaguid?: Uint8Array;
  /** COSEAlgorithmIdentifiers; default ES256, EdDSA, RS256. The client's order decides among them. */
  readonly algorithms?: readonly number[];
  /** Default `none`. With `packed` (self attestation) a client that asks for `none` gets that. */
  readonly attestation?: 'none' | 'packed' | AttestationFormat;
  /** Default `platform`. */
  readonly attachment?: 'platform' | 'cross-platform';
  /** Default `internal`. */
  readonly transports?: readonly string[];
  /** Whether it can store discoverable credentials; default true. */
  readonly residentKey?: boolean;
  /** Makes every credential discoverable, asked or not; default false. */
  readonly alwaysDiscoverable?: boolean;
  /** BE of new credentials; default false. */
  readonly backupEligible?: boolean;
  /** BS of new credentials; default false. Change it later through the store. */
  readonly backupState?: boolean;
  /** Default: zero. */
  readonly signCount?: SignCounting;
  /** Bytes of a new credential ID, 16 to 1023; default 32. The ID is random: it wraps nothing. */
  readonly credentialIdLength?: number;
  /** Default: all. */
  readonly extensions?: readonly ExtensionId[];
}

export interface AuthenticatorOptions extends AuthenticatorTraits {
  /** Source of credential IDs, secrets and (but for RSA) keys; default the system's. */
  readonly random?: RandomSource;
  /** Source of private keys as PKCS#8 DER; default: drawn from `random`. */
  readonly newPrivateKey?: KeyPairSource;
  /** Default: a user who does what is asked. */
  readonly userVerifier?: UserVerifier;
  /** Default: the newest account. */
  readonly chooseAccount?: AccountChooser;
  /** Default: memory. Holds discoverable and server-side credentials alike. */
  readonly store?: CredentialSourceStore;
}

const knownExtension = oneOf(...EXTENSIONS);

/** Every option; ranges and what does not go together are checked where the options are settled. */
const OPTIONS: Readonly<Record<keyof AuthenticatorOptions, Expectation>> = {
  aaguid: { ...BYTES, expected: 'a Uint8Array of 16 bytes (parseAaguid of passkey-cli/webauthn/aaguid makes one of a text)' },
  algorithms: { expected: 'an array of COSEAlgorithmIdentifiers such as -7', holds: (value) => isListOf(value, Number.isInteger) },
  attestation: {
    expected: '"none", "packed" or an attestation format { fmt, statement() }',
    holds: (value) => value === 'none' || value === 'packed' || isAttestationFormat(value),
  },
  attachment: oneOf('platform', 'cross-platform'),
  transports: TEXTS,
  residentKey: FLAG,
  alwaysDiscoverable: FLAG,
  backupEligible: FLAG,
  backupState: FLAG,
  signCount: { expected: 'an object such as { kind: "global", start: 7 }', holds: isObject },
  credentialIdLength: { expected: 'a number', holds: (value) => typeof value === 'number' },
  extensions: {
    expected: `an array of ${EXTENSIONS.join(', ')}`,
    holds: (value) => isListOf(value, knownExtension.holds),
  },
  random: FUNCTION,
  newPrivateKey: FUNCTION,
  userVerifier: {
    expected: 'a user verifier { canVerify, verify() }',
    holds: (value) => hasMethods(value, 'verify') && isObject(value) && typeof Reflect.get(value, 'canVerify') === 'boolean',
  },
  chooseAccount: FUNCTION,
  store: {
    expected: 'a store { find(), list(), put(), update(), remove() }',
    holds: (value) => hasMethods(value, 'find', 'list', 'put', 'update', 'remove'),
  },
};

function isAttestationFormat(value: unknown): boolean {
  if (!isObject(value) || !hasMethods(value, 'statement')) return false;
  const fmt: unknown = Reflect.get(value, 'fmt');
  return typeof fmt === 'string' && fmt !== '';
}

const OPTIONAL = Object.fromEntries(Object.entries(OPTIONS).map(([name, expectation]) => [name, optional(expectation)]));

/** @throws TypeError naming the option that is of the wrong type. */
export function checkOptions(options: AuthenticatorOptions): void {
  if (!isObject(options)) throw new TypeError(`Expected the options of an authenticator to be an object; got ${describe(options)}.`);
  const wrong = firstWrong(options, '*', OPTIONAL);
  if (wrong !== undefined) throw new TypeError(wrong);
}
