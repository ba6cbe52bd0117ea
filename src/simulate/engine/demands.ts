import { createAttestationAuthority } from '../../authenticator/attestation/authority.js';
import type { Policy } from '../../relying-party/policy.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import type { AttestationConveyancePreference, AuthenticatorAttachment, RequirementLevel } from '../../webauthn/enumerations.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import { writePem } from '../../webauthn/pem.js';
import type { Asks, Login, User } from '../target/driver.js';
import { countUsers, ORIGIN_MATCHES, type OriginMatch, type TargetCapabilities } from '../target/profile-schema.js';
import { type Lack, notApplicable } from './scenario.js';

/** Top-level origin that our own server accepts when a case needs one. */
export const TOP_ORIGIN = 'https://top.example';

/** An additional origin that our own server accepts, for an application on https://login.shop.example. */
export const FURTHER_ORIGIN = 'https://app.login.shop.example';

/**
 * Demands of a case on the relying party. They set the policy of our own server. Any other server is asked to meet them if its profile says
 * how; if the server does something else, the case is not applicable.
 */
export interface Demands {
  readonly userVerification?: RequirementLevel;
  readonly attestation?: AttestationConveyancePreference;
  readonly residentKey?: RequirementLevel;
  /** COSE algorithm identifiers that the relying party must offer. */
  readonly algorithms?: readonly number[];
  /**
   * True: the relying party must trust the root certificate that `passkey attestation-root` prints, and no other. False: it must not assess
   * trust.
   */
  readonly trust?: boolean;
  /** Attestation statement format that the relying party must accept. */
  readonly format?: string;
  /** True if the relying party must accept self attestation when it requests attestation, false if it must refuse it. */
  readonly selfAttestation?: boolean;
  /**
   * The relying party must check certificates of the public test authority. It may trust the root of that authority or not assess trust at
   * all.
   */
  readonly certificates?: true;
  /** True if the relying party must accept a page that is embedded under a top-level origin, false if it must refuse it. */
  readonly topOrigin?: boolean;
  /** The relying party must accept additional origins. */
  readonly furtherOrigins?: true;
  /** How the relying party must compare origins. A stricter comparison is allowed too. */
  readonly originMatch?: Exclude<OriginMatch, 'subdomains'>;
  /** The relying party must not accept a challenge again after it refused a response with that challenge. */
  readonly afterRefusal?: 'spent';
  /** Attachment of the case's authenticator. The relying party must not require the other attachment. */
  readonly attachment?: AuthenticatorAttachment;
  /** The relying party must accept a login without user verification. */
  readonly unverified?: true;
  /** Kind of login that the case uses. Default: a named login if the target supports it. */
  readonly login?: Login;
  /** The relying party must refuse a login whose sign count has not increased. */
  readonly counter?: true;
  /** The relying party must accept authenticators that always report a sign count of zero. */
  readonly uncounted?: true;
  /**
   * How strictly the relying party must check the public key of a registration, which §7.1 does not require. `checked`: the key must work
   * with its algorithm. `strict`: the key must also be safe and contain only the required members.
   */
  readonly publicKeys?: 'checked' | 'strict';
  /** The relying party must serve several applications, each with its own origin and RP ID. */
  readonly applications?: 'several';
  /** The relying party must have two users. */
  readonly users?: 2;
  /** The profile must say for how long a challenge is valid. */
  readonly challengeSeconds?: true;
  /** Endpoint of our own API that receives the authentication response instead of the usual one. */
  readonly endpoint?: 'verify';
}

/** Makes the policy with which our own server meets the demands of a case. */
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

/** Returns the test root certificate in PEM. Issues the certificate only on first use, because that takes a moment. */
function testRoot(): string {
  root ??= writePem(createAttestationAuthority().root);
  return root;
}

/** Lists the demands that are passed on to the target when a ceremony begins. */
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

/** Explains why a target cannot meet the demands of a case, as far as its profile shows; undefined if it can. */
export function lacking(wants: Demands, has: TargetCapabilities): string | Lack | undefined {
  const { logins = ['named', 'discoverable'], formats = ['none'], algorithms, origins = [], topOrigins = [] } = has;
  const missing = wants.algorithms?.find((id) => algorithms !== undefined && !algorithms.includes(id));
  if (missing !== undefined) return `the target does not offer ${algorithmName(missing)}`;
  if (wants.login !== undefined && !logins.includes(wants.login)) return `the target does not support a ${wants.login} login`;
  if (wants.format !== undefined && !formats.includes(wants.format)) {
    return `the target does not accept the attestation format ${wants.format}`;
  }
  if (wants.trust === false && has.trust === 'test') {
    return 'the target refuses certificates without a trusted root before it checks anything else';
  }
  if (wants.trust === true && has.trust !== 'test') return 'the target does not trust the root of `passkey attestation-root`';
  if (wants.certificates === true && has.trust === 'other') return 'the target does not trust certificates of the test authority';
  if (wants.selfAttestation === true && has.selfAttestation === false) {
    return 'the target refuses self attestation, which its policy may do';
  }
  if (wants.selfAttestation === false && has.selfAttestation !== false) {
    return 'the target accepts self attestation, which its policy may do';
  }
  if (wants.topOrigin === true && topOrigins.length === 0) return 'the target does not accept any top-level origin';
  if (wants.topOrigin === false && topOrigins.length > 0) return 'the target accepts pages that are embedded under some top-level origins';
  if (wants.furtherOrigins === true && origins.length === 0) return 'the target does not accept additional origins';
  if (wants.originMatch !== undefined && looser(has.originMatch, wants.originMatch)) {
    return 'the target compares origins less strictly, as §13.4.9 allows';
  }
  if (wants.afterRefusal !== undefined && has.afterRefusal === 'kept') {
    return 'the target accepts a challenge again after a refused response';
  }
  if (wants.counter === true && has.counter === 'ignore') return 'the target accepts sign counts that did not increase, which §7.2 allows';
  if (wants.uncounted === true && has.counter === 'required') return 'the target refuses authenticators that do not count';
  if (wants.publicKeys !== undefined && !isAsStrict(has.publicKeys, wants.publicKeys)) {
    return `the target does not check public keys${wants.publicKeys === 'strict' ? ' this strictly' : ''}, which §7.1 allows`;
  }
  if (wants.applications === 'several' && has.asks?.includes('origin') !== true) return 'the target serves only one application';
  if (wants.users === 2 && countUsers(has) < 2) return whyNoUser(has, 2);
  if (wants.challengeSeconds === true && has.challengeSeconds === undefined) {
    return { reason: 'the profile does not say how long a challenge lives (challengeSeconds)', member: 'has.challengeSeconds' };
  }
  if (wants.endpoint !== undefined && has.asks?.includes('endpoint') !== true) return 'tests the HTTP contract of passkey serve';
  return undefined;
}

/** Explains why the run has no user with the given number. */
export function whyNoUser({ codes }: TargetCapabilities, user: User): string {
  return codes === true
    ? `needs the bearer token of ${user === 1 ? 'a' : 'a second'} user (--token)`
    : `the target has no ${user === 1 ? '' : 'second '}user that a run could use`;
}

function isAsStrict(has: TargetCapabilities['publicKeys'] = 'checked', wanted: 'checked' | 'strict'): boolean {
  return has === 'strict' || has === wanted;
}

function looser(offered: OriginMatch = 'exact', wanted: OriginMatch): boolean {
  return ORIGIN_MATCHES.indexOf(offered) > ORIGIN_MATCHES.indexOf(wanted);
}

/** Chooses the kind of login for a case: the kind that the case demands. If the case demands none, `named` if the target supports it. */
export function loginFor({ login }: Demands, { logins = ['named'] }: TargetCapabilities): Login {
  return login ?? (logins.includes('named') ? 'named' : 'discoverable');
}

const DEFAULTS = { attestation: 'none', userVerification: 'preferred', residentKey: 'discouraged' } as const;

/** Origin of the options, for messages: the target of a run, or the caller's own options. */
type Asker = 'target' | 'options';

/** Ends a case if the registration options do not meet its demands. */
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

/** Ends a case if the request options do not meet its demands. */
export function holdRequestOptions(
  wants: Demands,
  { userVerification }: PublicKeyCredentialRequestOptionsJSON,
  asker: Asker = 'target',
): void {
  toDemand(asker)('user verification', wants.userVerification, userVerification ?? DEFAULTS.userVerification);
  holdUnverified(wants, userVerification, asker);
}

/**
 * Ends a case that needs an unverified user if the options require user verification. Considers only the options and not the profile: a
 * target that enforces more than its options request is at fault.
 */
function holdUnverified({ unverified }: Demands, userVerification: string | undefined, asker: Asker): void {
  if (unverified !== true || userVerification !== 'required') return;
  throw notApplicable(`${asker === 'target' ? 'the target requires' : 'the options require'} user verification`);
}

function toDemand(asker: Asker) {
  return (what: string, wanted: string | undefined, asked: string): void => {
    if (wanted === undefined || wanted === asked) return;
    throw notApplicable(
      asker === 'target'
        ? `the target asks for ${what} "${asked}", and its profile cannot request "${wanted}"`
        : `the options ask for ${what} "${asked}"; "${wanted}" is needed`,
    );
  };
}
