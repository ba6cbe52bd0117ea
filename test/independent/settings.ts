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

const TOP = 'https://top.shop.example';
const RELATED = 'https://related.example';
const SUBDOMAIN = 'https://login.shop.example';

export const SETTINGS = {
  plain: {},
  /** Statements are verified, and may come from anybody. */
  untrusting: { policy: { trust: 'unassessed', selfAttestation: 'accept' }, has: { trust: 'none', selfAttestation: true } },
  subdomain: { origin: SUBDOMAIN },
  framed: { policy: { topOrigins: [TOP] }, has: { topOrigins: [TOP] } },
  signedIn: { policy: { registersBy: 'session' }, signsIn: 'before' },
  single: { policy: { registersBy: 'session' }, signsIn: 'registering', has: { passkeys: 1 } },
  related: { origin: SUBDOMAIN, policy: { origins: [SUBDOMAIN, RELATED] }, has: { origins: [RELATED] } },
  accounts: {
    policy: { registersBy: 'session', freshFor: 300_000, lastPasskey: 'kept' },
    signsIn: 'account',
    cases: ['lifecycle.*', 'session.*', 'register.signed-out'],
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
};

/** Those of accounts that users open themselves. */
const OF_ACCOUNTS =
  /^(?:sign-out-ends|others-passkey-renamed|signed-out-removes|last-|removed-passkey-keeps|removal-|stale-|step-up-|password-|recovery-|unknown-user-)/;

export const settingOf = (fault: FaultId): SettingName => SETTING_OF[fault] ?? (OF_ACCOUNTS.test(fault) ? 'accounts' : 'plain');
