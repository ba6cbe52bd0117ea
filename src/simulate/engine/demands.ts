import { createAttestationAuthority } from '../../authenticator/attestation/authority.js';
import type { Policy } from '../../relying-party/policy.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import type { AttestationConveyancePreference, AuthenticatorAttachment, RequirementLevel } from '../../webauthn/enumerations.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import { writePem } from '../../webauthn/pem.js';
import type { Asks, Login, User } from '../target/driver.js';
import { countUsers, ORIGIN_MATCHES, type OriginMatch, type TargetCapabilities } from '../target/profile-schema.js';
import { type Lack, notApplicable } from './scenario.js';

/** A top-level origin that the server in process accepts if a case wants one. */
export const TOP_ORIGIN = 'https://top.example';

/** A further accepted origin, of an application on https://login.shop.example. */
export const FURTHER_ORIGIN = 'https://app.login.shop.example';

/**
 * The demands of a case on the relying party. They become the policy of the server in process. Any other server is asked for them if its
 * profile says how; if it does something else, the case is not applicable.
 */
export interface Demands {
  readonly userVerification?: RequirementLevel;
  readonly attestation?: AttestationConveyancePreference;
  readonly residentKey?: RequirementLevel;
  /** COSEAlgorithmIdentifiers that it must offer. */
  readonly algorithms?: readonly number[];
  /** It trusts the root of `passkey attestation-root`, and no other; `false`: it does not assess trust. */
  readonly trust?: boolean;
  /** Attestation statement format that it must take. */
  readonly format?: string;
  /** It accepts, or refuses, self attestation when it asks for attestation. */
  readonly selfAttestation?: boolean;
  /** It looks into certificates of the public test authority, whether it trusts its root or assesses no trust. */
  readonly certificates?: true;
  /** It accepts, or refuses, a page under a top-level origin. */
  readonly topOrigin?: boolean;
  /** It accepts further origins. */
  readonly furtherOrigins?: true;
  /** It compares origins in this way or more strictly. */
  readonly originMatch?: Exclude<OriginMatch, 'subdomains'>;
  /** A refused response spends its challenge. */
  readonly afterRefusal?: 'spent';
  /** Attachment of the authenticator: the target must not ask for the other one. */
  readonly attachment?: AuthenticatorAttachment;
  /** It accepts a user who was not verified. */
  readonly unverified?: true;
  /** Kind of login; default: named if the target has it. */
  readonly login?: Login;
  /** It refuses a sign count that has not grown. */
  readonly counter?: true;
  /** It accepts authenticators that do not count. */
  readonly uncounted?: true;
  /**
   * It checks the public key of a registration, which §7.1 does not require: `checked` for a key that its algorithm can use, `strict` for
   * one that is also safe and has only the required members.
   */
  readonly publicKeys?: 'checked' | 'strict';
  /** It serves several applications, each with its own origin and RP ID. */
  readonly applications?: 'several';
  /** It has two users. */
  readonly users?: 2;
  /** Its profile says how long a challenge lives. */
  readonly challengeSeconds?: true;
  /** Our own API: which endpoint takes an authentication. */
  readonly endpoint?: 'verify';
}

/** The policy with which the server in process meets the demands of a case. */
export function policyFor(wants: Demands): Partial<Policy> {
  const { userVerification, attestation, residentKey, algorithms, trust, selfAttestation, topOrigin } = wants;
  return {
    ...(userVerification !== undefined && { userVerification }),
    ...(attestation !== undefined && { attestation }),
    ...(residentKey !== undefined && { residentKey }),
    ...(algorithms !== undefined && { algorithms }),
    ...(trust === true && { attestationRoots: [testRoot()] }),
    ...(selfAttestation === false && { selfAttestation: 'refuse' }),
    ...(topOrigin === true && { topOrigins: [TOP_ORIGIN] }),
  };
}

let root: string | undefined;

/** PEM. Issuing it takes a moment. */
function testRoot(): string {
  root ??= writePem(createAttestationAuthority().root);
  return root;
}

/** Lists the requests to the target when a ceremony begins. */
export function listDemands(
  { login, unverified, attestation, algorithms, endpoint, ...wants }: Demands,
  { asks = [], ...has }: TargetCapabilities,
): Asks {
  // Where it is asked for, a login that names no user has a passkey that such a login finds.
  const residentKey = wants.residentKey ?? (login === 'discoverable' ? 'required' : undefined);
  const userVerification = wants.userVerification ?? (unverified && has.userVerification === 'required' ? 'preferred' : undefined);
  const wanted = { userVerification, attestation, residentKey, algorithms, endpoint };
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== undefined && asks.some((known) => known === name)));
}

/** Names the reason why a target cannot meet the demands of a case, as far as its profile shows. */
export function lacking(wants: Demands, has: TargetCapabilities): string | Lack | undefined {
  const { logins = ['named', 'discoverable'], formats = ['none'], algorithms, origins = [], topOrigins = [] } = has;
  const missing = wants.algorithms?.find((id) => algorithms !== undefined && !algorithms.includes(id));
  if (missing !== undefined) return `the target does not offer ${algorithmName(missing)}`;
  if (wants.login !== undefined && !logins.includes(wants.login)) return `the target has no ${wants.login} login`;
  if (wants.format !== undefined && !formats.includes(wants.format)) return `the target does not take attestation format ${wants.format}`;
  if (wants.trust === false && has.trust === 'test') return 'the target refuses what leads to no trusted root before it looks further';
  if (wants.trust === true && has.trust !== 'test') return 'the target does not trust the root of `passkey attestation-root`';
  if (wants.certificates === true && has.trust === 'other') return 'the target trusts no certificates of the test authority';
  if (wants.selfAttestation === true && has.selfAttestation === false) return 'the target refuses self attestation, as its policy may';
  if (wants.selfAttestation === false && has.selfAttestation !== false) return 'the target accepts self attestation, as its policy may';
  if (wants.topOrigin === true && topOrigins.length === 0) return 'the target accepts no top-level origin';
  if (wants.topOrigin === false && topOrigins.length > 0) return 'the target accepts pages in frames of some top-level origins';
  if (wants.furtherOrigins === true && origins.length === 0) return 'the target accepts no further origin';
  if (wants.originMatch !== undefined && looser(has.originMatch, wants.originMatch)) {
    return 'the target compares origins less strictly, as §13.4.9 allows';
  }
  if (wants.afterRefusal !== undefined && has.afterRefusal === 'kept') return 'the target keeps the challenge of a refused response';
  if (wants.counter === true && has.counter === 'ignore') return 'the target does not refuse sign counts, as §7.2 allows';
  if (wants.uncounted === true && has.counter === 'required') return 'the target refuses authenticators that do not count';
  if (wants.publicKeys !== undefined && !isAsStrict(has.publicKeys, wants.publicKeys)) {
    return `the target does not check public keys${wants.publicKeys === 'strict' ? ' as strictly' : ''}, as §7.1 allows`;
  }
  if (wants.applications === 'several' && has.asks?.includes('origin') !== true) return 'the target serves one application';
  if (wants.users === 2 && countUsers(has) < 2) return whyNoUser(has, 2);
  if (wants.challengeSeconds === true && has.challengeSeconds === undefined) {
    return { reason: 'its profile does not say how long a challenge lives (challengeSeconds)', member: 'has.challengeSeconds' };
  }
  if (wants.endpoint !== undefined && has.asks?.includes('endpoint') !== true) return 'tests the HTTP contract of passkey serve';
  return undefined;
}

/** Names the reason why a run has no such user. */
export function whyNoUser({ codes }: TargetCapabilities, user: User): string {
  return codes === true
    ? `needs the bearer token of ${user === 1 ? 'a' : 'a second'} user (--token)`
    : `the target has no ${user === 1 ? '' : 'second '}user for a run`;
}

function isAsStrict(has: TargetCapabilities['publicKeys'] = 'checked', wanted: 'checked' | 'strict'): boolean {
  return has === 'strict' || has === wanted;
}

function looser(offered: OriginMatch = 'exact', wanted: OriginMatch): boolean {
  return ORIGIN_MATCHES.indexOf(offered) > ORIGIN_MATCHES.indexOf(wanted);
}

/** The kind of login of a case: the wanted one, otherwise named if the target supports that. */
export function loginFor({ login }: Demands, { logins = ['named'] }: TargetCapabilities): Login {
  return login ?? (logins.includes('named') ? 'named' : 'discoverable');
}

const DEFAULTS = { attestation: 'none', userVerification: 'preferred', residentKey: 'discouraged' } as const;

/** The source of the options that a message names: the target of a run, or options that the caller gave. */
type Asker = 'target' | 'options';

/** Ends a case whose registration options do not meet its demands. */
export function holdCreationOptions(wants: Demands, options: PublicKeyCredentialCreationOptionsJSON, asker: Asker = 'target'): void {
  const { attestation, authenticatorSelection: selection, pubKeyCredParams } = options;
  const demand = toDemand(asker);
  demand('attestation', wants.attestation, attestation ?? DEFAULTS.attestation);
  demand('user verification', wants.userVerification, selection?.userVerification ?? DEFAULTS.userVerification);
  holdUnverified(wants, selection?.userVerification, asker);
  // §5.4.6: the older member counts where the newer one is absent.
  const residentKey = selection?.residentKey ?? (selection?.requireResidentKey === true ? 'required' : DEFAULTS.residentKey);
  demand('a discoverable credential', wants.residentKey, residentKey);
  const attachment = selection?.authenticatorAttachment;
  if (wants.attachment !== undefined && attachment !== undefined && attachment !== wants.attachment) {
    throw notApplicable(`${asker === 'target' ? 'the target asks' : 'the options ask'} for a ${attachment} authenticator`);
  }
  const offered = Array.isArray(pubKeyCredParams) ? pubKeyCredParams.map(({ alg }) => Number(alg)) : [];
  const missing = wants.algorithms?.find((id) => !offered.includes(id));
  if (missing !== undefined) {
    throw notApplicable(`${asker === 'target' ? 'the target does' : 'the options do'} not offer ${algorithmName(missing)}`);
  }
}

/** Ends a case whose request options do not meet its demands. */
export function holdRequestOptions(
  wants: Demands,
  { userVerification }: PublicKeyCredentialRequestOptionsJSON,
  asker: Asker = 'target',
): void {
  toDemand(asker)('user verification', wants.userVerification, userVerification ?? DEFAULTS.userVerification);
  holdUnverified(wants, userVerification, asker);
}

/** The options decide, not the profile: a target that requires more than it asks for is at fault. */
function holdUnverified({ unverified }: Demands, userVerification: string | undefined, asker: Asker): void {
  if (unverified !== true || userVerification !== 'required') return;
  throw notApplicable(`${asker === 'target' ? 'the target requires' : 'the options require'} user verification`);
}

function toDemand(asker: Asker) {
  return (what: string, wanted: string | undefined, asked: string): void => {
    if (wanted === undefined || wanted === asked) return;
    throw notApplicable(
      asker === 'target'
        ? `the target asks for ${what} "${asked}", and its profile has no way to ask for "${wanted}"`
        : `the options ask for ${what} "${asked}"; it needs "${wanted}"`,
    );
  };
}
