import type { RemoteOptions } from '../engine/remote.js';
import type { TargetProfile } from '../target/profile-schema.js';

/** A deliberate mistake in the shop: the cause of its finding, the wrong line, and the line that would be right. */
interface WrongLine {
  readonly cause: string;
  readonly wrong: string;
  readonly right: string;
}

/** The deliberate mistakes in the shop, in the order in which the demo reports their findings. */
export const WRONG_LINES: readonly WrongLine[] = [
  {
    cause: 'another-user-signed-in',
    wrong: "assert(passkey && user, 'Expected a passkey of this user.');",
    right: "assert(passkey && passkey.userId === user?.id, 'Expected a passkey of this user.');",
  },
  {
    cause: 'challenge-reuse',
    wrong: 'expectedChallenge: (challenge) => logins.has(challenge),',
    right: 'expectedChallenge: (challenge) => logins.delete(challenge),',
  },
  { cause: 'origin-in-header', wrong: 'expectedOrigin: request.headers.origin ?? origin,', right: 'expectedOrigin: origin,' },
];

/** Path of the shop's source file, relative to the folder of the package. */
export const SHOP_FILE = 'src/simulate/demo/shop.ts';

/** Cases that the demo runs: some for each check that a relying party makes. */
export const DEMO_CASES: readonly string[] = [
  'register.default',
  'login.default',
  '*.type-swapped',
  '*.challenge-unknown',
  '*.challenge-used-kept-cookies',
  'register.challenge-of-another-user',
  'login.challenge-of-registration',
  '*.origin-other-site',
  'login.origin-host-suffix',
  '*.origin-in-header',
  '*.rp-id-hash',
  '*.user-not-present',
  '*.user-not-verified',
  'register.algorithm-not-offered',
  'register.credential-known',
  'login.credential-unknown',
  'login.user-handle-foreign',
  'login.user-handle-of-another-user',
  'login.user-handle-missing',
  'login.signature-bit',
  'login.signature-of-another-user',
  'login.counter-regressed',
  'session.fixation',
];

/** The target profile that tells `simulate` which requests the shop understands. */
const PROFILE: TargetProfile = {
  format: 'passkey-target-profile',
  version: 1,
  name: 'shop',
  has: { logins: ['discoverable'], formats: ['none'], userVerification: 'required' },
  account: [{ request: 'POST /signup', json: { name: '{user.name}' } }],
  registrationOptions: [{ request: 'POST /passkeys/options' }],
  register: [{ request: 'POST /passkeys', json: { $: 'credential' } }],
  authenticationOptions: [{ request: 'POST /login/options' }],
  authenticate: [{ request: 'POST /login', json: { $: 'credential' } }],
  whoami: [{ request: 'GET /me', take: { user: 'json name' }, accept: { 'json name': '*' } }],
};

/** Describes a running shop as a target of `simulate`. */
export function targetShop(url: string): RemoteOptions {
  return { url, profile: { profile: PROFILE, where: (pointer) => pointer } };
}

/** Finds the number of the wrong line in the shop's source, counted from 1; 0 if the source does not contain that line. */
export function findLine(source: string, { wrong }: WrongLine): number {
  return source.split(/\r?\n/).findIndex((line) => line.trim() === wrong) + 1;
}
