import type { TargetCapabilities } from '../../src/simulate/target/profile-schema.js';
import type { FaultId } from './faults.js';
import type { Policy } from './party.js';

/** How the independent relying party is run: what its operator has decided, and what the profile says of it then. */
export interface Setting {
  readonly policy?: Partial<Policy>;
  /** Of the application; default: that of the party, on localhost. */
  readonly origin?: string;
  readonly has?: Partial<TargetCapabilities>;
  /** Users sign in before they register, or by registering, or open an account of their own; default: they have bearer tokens. */
  readonly signsIn?: 'before' | 'registering' | 'account';
  /** Patterns of the cases that it is for; default: all. */
  readonly cases?: readonly string[];
}

const MODELS = ['08987058-cadc-4b81-b6e1-30de50dcbe96', '9ddd1817-af5a-4672-a2b9-3e3dd95000a9'];
const TOP = 'https://top.shop.example';
const RELATED = 'https://related.example';
const SUBDOMAIN = 'https://login.shop.example';

/** A relying party that takes these formats only. */
function attesting(formats: readonly string[], trust: 'assessed' | 'unassessed' | 'self' = 'assessed'): Setting {
  const has = {
    assessed: { trust: 'test', selfAttestation: false },
    unassessed: { trust: 'none', selfAttestation: true },
    self: { trust: 'other', selfAttestation: true },
  } as const;
  return {
    policy: {
      formats,
      trust: trust === 'self' ? 'certificates-refused' : trust,
      selfAttestation: trust === 'assessed' ? 'refuse' : 'accept',
    },
    has: { ...has[trust], formats: [...formats] },
  };
}

export const SETTINGS = {
  plain: {},
  /** Statements are verified, and may come from anybody. */
  untrusting: { policy: { trust: 'unassessed', selfAttestation: 'accept' }, has: { trust: 'none', selfAttestation: true } },
  /** One format and no other, with the test root, without assessing trust, and with roots of others. */
  packed: attesting(['packed']),
  packedUnassessed: attesting(['packed'], 'unassessed'),
  /** Without roots that fit, only self attestation is left. */
  packedSelf: attesting(['packed'], 'self'),
  fidoU2f: attesting(['fido-u2f']),
  fidoU2fUnassessed: attesting(['fido-u2f'], 'unassessed'),
  tpm: attesting(['tpm']),
  tpmUnassessed: attesting(['tpm'], 'unassessed'),
  androidKey: attesting(['android-key']),
  androidKeyUnassessed: attesting(['android-key'], 'unassessed'),
  /** Authenticators of two models may register, attested or not. */
  models: {
    policy: { models: MODELS.map((aaguid) => aaguid.replaceAll('-', '')) },
    has: { models: MODELS },
  },
  /** Clients keep the challenges: in a signed token beside the options, in an encrypted cookie, or as a signed challenge. */
  tokens: { policy: { challenges: 'token' } },
  tokenCookies: { policy: { challenges: 'cookie' } },
  signedChallenges: { policy: { challenges: 'itself' } },
  /** Authenticators must count. */
  counting: { policy: { counts: 'required' }, has: { counter: 'required' } },
  subdomain: { origin: SUBDOMAIN },
  framed: { policy: { topOrigins: [TOP] }, has: { topOrigins: [TOP] } },
  signedIn: { policy: { registersBy: 'session' }, signsIn: 'before' },
  single: { policy: { registersBy: 'session' }, signsIn: 'registering', has: { passkeys: 1 } },
  related: { origin: SUBDOMAIN, policy: { origins: [SUBDOMAIN, RELATED] }, has: { origins: [RELATED] } },
  accounts: {
    policy: { registersBy: 'session', freshFor: 300_000, lastPasskey: 'kept' },
    signsIn: 'account',
    cases: ['lifecycle.*', 'session.*', 'register.signed-out', '*.for-another-user'],
  },
  /** Step-ups with a passkey, which need user verification. */
  passkeyStepUps: {
    policy: { registersBy: 'session', freshFor: 300_000, lastPasskey: 'kept', stepsUpBy: 'passkey' },
    signsIn: 'account',
    cases: ['lifecycle.step-up-*'],
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** Faults that matter in another setting than the plain one only. */
const SETTING_OF: Readonly<Partial<Record<FaultId, SettingName>>> = {
  'format-case-folded': 'untrusting',
  'packed-aaguid-extension-critical': 'untrusting',
  'packed-ecdaa-unverified': 'untrusting',
  'packed-empty-x5c': 'untrusting',
  'u2f-nonzero-aaguid-refused': 'untrusting',
  'origin-as-pattern': 'subdomain',
  'origin-of-parent-domain': 'subdomain',
  'rp-id-hash-of-parent-domain': 'subdomain',
  'top-origin-by-prefix': 'framed',
  'rp-id-hash-from-client-origin': 'related',
  'signed-out-is-latest-user': 'signedIn',
  'excluded-none-accepted': 'packedUnassessed',
  'excluded-format-accepted': 'packedUnassessed',
  'token-reusable': 'tokens',
  'token-unsigned': 'tokens',
  'token-never-expires': 'tokens',
  'token-of-any-user': 'tokens',
  'token-of-any-ceremony': 'tokens',
  'cookie-of-challenge-reusable': 'tokenCookies',
  'signed-challenge-reusable': 'signedChallenges',
  'model-unchecked': 'models',
  'model-unchecked-without-attestation': 'models',
  'model-of-zeros-accepted': 'models',
  'model-from-unsigned-copy': 'models',
  'model-from-body': 'models',
  'model-from-certificate': 'models',
  'model-by-first-bytes': 'models',
  'gate-keeps-sessions': 'accounts',
  'gate-checked-in-options': 'accounts',
  'gate-unchecked-at-recovery': 'accounts',
  'gate-lifted-by-recovery': 'accounts',
  'gate-unchecked-by-password': 'accounts',
  'signed-out-registers': 'accounts',
  'step-up-uv-unchecked': 'passkeyStepUps',
  'step-up-of-any-user': 'passkeyStepUps',
  'step-up-reusable': 'passkeyStepUps',
  'step-up-signature-unchecked': 'passkeyStepUps',
  'step-up-challenge-unchecked': 'passkeyStepUps',
  'step-up-with-removed-passkey': 'passkeyStepUps',
};

/** Those of accounts that users open themselves. */
const OF_ACCOUNTS =
  /^(?:sign-out-ends|sign-up|registration-signs-in|session-id-of|removed-passkey-accepted-|others-passkey-renamed|signed-out-removes|last-|removed-passkey-keeps|removal-|user-of-|stale-|step-up-|password-|recovery-|unknown-user-)/;

export const settingOf = (fault: FaultId): SettingName => SETTING_OF[fault] ?? (OF_ACCOUNTS.test(fault) ? 'accounts' : 'plain');
