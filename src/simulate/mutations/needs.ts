import { systemKeyPairs } from '../../authenticator/key-pair.js';
import type { PersonaName } from '../../authenticator/personas/personas.js';
import type { JsonObject } from '../../kernel/json-value.js';
import type { Policy } from '../../relying-party/policy.js';
import { AUTHENTICATION_STEPS } from '../../relying-party/steps/authentication.js';
import { type Case, findStep } from '../engine/case.js';
import { createBrowser } from '../engine/ceremony.js';
import { type AuthenticationSpec, type CeremonyCase } from '../engine/ceremony-cases.js';
import { FURTHER_ORIGIN } from '../engine/demands.js';
import type { AuthenticationEdits } from '../engine/edits.js';
import type { Login } from '../target/driver.js';
import { BEGUN_ELSEWHERE, contextAt } from './conditions.js';

/** The ceremony that a mutation needs. The caller must provide it. */
export interface MutationNeeds {
  /** Members that overwrite those of the relying party's own options. */
  readonly options: JsonObject;
  /** The kind of login: request options name the credential or not; null: either way. */
  readonly login: Login | null;
  /** The endpoint of our own API that takes an authentication response. */
  readonly endpoint: 'login' | 'verify';
  /** The persona whose credential fits; null: any authenticator. */
  readonly persona: PersonaName | null;
  /** COSEAlgorithmIdentifiers of which the credential of a login must be one; null: any. */
  readonly algorithms: readonly number[] | null;
}

export function listNeeds({ wants = {}, ceremony, browser, anyAlgorithm }: CeremonyCase): MutationNeeds {
  const { userVerification, residentKey, attestation, algorithms, login, endpoint = 'login' } = wants;
  const { signCount, backupEligible, algorithms: keys } = browser?.authenticator ?? {};
  const registering = ceremony === 'registration';
  const selection = {
    ...(userVerification !== undefined && { userVerification }),
    ...(residentKey !== undefined && { residentKey }),
  };
  const creationOptions = {
    ...(Object.keys(selection).length > 0 && { authenticatorSelection: selection }),
    ...(attestation !== undefined && { attestation }),
    ...(algorithms !== undefined && { pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })) }),
  };
  return {
    options: registering ? creationOptions : { ...(userVerification !== undefined && { userVerification }) },
    login: login ?? null,
    endpoint,
    persona: registering ? null : personaFor(signCount !== undefined, backupEligible === true),
    algorithms: registering || anyAlgorithm === true ? null : (keys ?? null),
  };
}

/** One counts its signatures, the other is copied to other devices. */
function personaFor(counts: boolean, eligible: boolean): PersonaName | null {
  if (counts) return 'yubikey-5';
  return eligible ? 'icloud-keychain' : null;
}

/** Lists in words the requirements on a relying party beyond its options, which are checked when they are known. */
export function listRequirements({ wants = {}, origin }: Pick<Case, 'wants' | 'origin'>): readonly string[] {
  const { trust, selfAttestation, format, topOrigin, furtherOrigins, originMatch, publicKeys, counter } = wants;
  return [
    ...(origin === undefined ? [] : [`its RP ID is a subdomain, such as that of ${origin}`]),
    ...(format === undefined || format === 'none' ? [] : [`it takes the attestation statement format ${format}`]),
    ...(trust === true ? ['it trusts the root of `passkey attestation-root`, and no other'] : []),
    ...(trust === false ? ['it does not ask whether certificates lead to a trusted root'] : []),
    ...(selfAttestation === true ? ['it accepts self attestation'] : []),
    ...(selfAttestation === false ? ['it refuses self attestation where it asks for attestation'] : []),
    ...(topOrigin === true ? ['it accepts a page in a frame under the top-level origin'] : []),
    ...(topOrigin === false ? ['it accepts no pages in frames of other origins'] : []),
    ...(furtherOrigins === true ? [`it accepts the origin ${FURTHER_ORIGIN} as well`] : []),
    ...(originMatch === 'exact' ? ['it compares origins as whole texts'] : []),
    ...(originMatch === 'parsed' ? ['it accepts no subdomains of the origin'] : []),
    ...(publicKeys === 'checked' ? ['it refuses a public key that its algorithm cannot use'] : []),
    ...(publicKeys === 'strict' ? ['it refuses a public key that is weak or has further members'] : []),
    ...(counter === true ? ['it refuses a sign count that has not grown'] : []),
  ];
}

/** The server at which mutations are tried, as far as its verdict depends on it. */
export type TriedAt = Pick<Policy, 'attestationRoots' | 'selfAttestation' | 'topOrigins'> & { readonly origin: string };

/** Why a mutation shows nothing at a server whose page answers; undefined if it does. */
export function whyUnfit({ wants = {}, origin, expected }: CeremonyCase, at: TriedAt): string | undefined {
  const { trust, selfAttestation, topOrigin } = wants;
  if (origin !== undefined && new URL(at.origin).hostname.split('.').length < 3) return 'its RP ID is no subdomain';
  if (topOrigin === true) return 'it takes a page in a frame of another origin';
  if (topOrigin === false && at.topOrigins.length > 0) return 'it accepts pages in frames of other origins (--top-origin)';
  if (selfAttestation === false && at.selfAttestation !== 'refuse') {
    return 'it accepts self attestation; start it with --self-attestation refuse';
  }
  const unassessed = trust === true && expected.outcome === 'rejected' && at.attestationRoots.length === 0;
  return unassessed ? 'it trusts no root; start it with --attestation-roots and what `passkey attestation-root` prints' : undefined;
}

/** Finds the slug of the step that refuses a case; undefined for one that is accepted. */
export function findRefusingStep(each: CeremonyCase): string | undefined {
  return each.expected.outcome === 'rejected' ? findStep(each) : undefined;
}

/**
 * Whether the change works on a finished response, without the private key: it needs no other page, user or authenticator, and no new
 * signature. A login with changed signed data also fails at its signature, so the change must fail at an earlier step.
 */
export function isInBrowser(each: CeremonyCase): boolean {
  const { ceremony, browser: { page, user, authenticator } = {}, rewrite, options, edits } = each;
  if (edits === undefined || rewrite !== undefined || options !== undefined || page !== undefined || user !== undefined) return false;
  // Without attestation nothing of a registration is signed.
  if (ceremony === 'registration') return authenticator?.attestation === undefined;
  const made = makeExample(each);
  if (made === undefined || made.sign !== undefined) return false;
  const { clientData, clientDataBytes, authenticatorData } = made;
  if (clientData === undefined && clientDataBytes === undefined && authenticatorData === undefined) return true;
  const step = findRefusingStep(each);
  return AUTHENTICATION_STEPS.slice(0, SIGNATURE).some(({ slug }) => slug === step);
}

const SIGNATURE = AUTHENTICATION_STEPS.findIndex(({ slug }) => slug === 'signature');

const ORIGIN = 'https://www.example.org';

/** Makes the edits of an example login, if all logins have the same. Undefined if they wait for a key. */
function makeExample({ edits, browser: traits }: AuthenticationSpec): AuthenticationEdits | undefined {
  if (typeof edits !== 'function') return edits ?? {};
  const context = contextAt({ origin: ORIGIN, topOrigin: undefined, newPrivateKey: systemKeyPairs, onRemark: undefined });
  const options = { challenge: 'AAAA', rpId: new URL(ORIGIN).hostname };
  const made = edits({ context, session: BEGUN_ELSEWHERE, browser: createBrowser(context, traits), options });
  return made instanceof Promise ? undefined : made;
}
