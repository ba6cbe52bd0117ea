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

/** Describes the kind of ceremony that a mutation needs, and that the caller must begin. */
export interface MutationNeeds {
  /** Members to set in the relying party's options, replacing its own values. */
  readonly options: JsonObject;
  /** The kind of login: whether the request options must name a credential; null if either will do. */
  readonly login: Login | null;
  /** The endpoint of our own API to which the authentication response must be sent. */
  readonly endpoint: 'login' | 'verify';
  /** The authenticator persona whose credential the login needs; null if any authenticator will do. */
  readonly persona: PersonaName | null;
  /** COSE algorithm identifiers, one of which the credential of a login must use; null if any algorithm will do. */
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

/** Chooses a persona for a login: one that counts signatures, or one whose passkeys are backed up. */
function personaFor(counts: boolean, eligible: boolean): PersonaName | null {
  if (counts) return 'yubikey-5';
  return eligible ? 'icloud-keychain' : null;
}

/** Lists, in words, what a relying party must do or support for a mutation, in addition to the needed options. */
export function listRequirements({ wants = {}, origin }: Pick<Case, 'wants' | 'origin'>): readonly string[] {
  const { trust, selfAttestation, format, topOrigin, furtherOrigins, originMatch, publicKeys, counter } = wants;
  return [
    ...(origin === undefined ? [] : [`its RP ID is a subdomain, such as that of ${origin}`]),
    ...(format === undefined || format === 'none' ? [] : [`it accepts the attestation statement format ${format}`]),
    ...(trust === true ? ['it trusts the root of `passkey attestation-root`, and no other'] : []),
    ...(trust === false ? ['it does not check whether certificates lead to a trusted root'] : []),
    ...(selfAttestation === true ? ['it accepts self attestation'] : []),
    ...(selfAttestation === false ? ['it refuses self attestation if it requests attestation'] : []),
    ...(topOrigin === true ? ['it accepts a page in a frame under the top-level origin'] : []),
    ...(topOrigin === false ? ['it accepts no pages in frames of other origins'] : []),
    ...(furtherOrigins === true ? [`it accepts the origin ${FURTHER_ORIGIN} as well`] : []),
    ...(originMatch === 'exact' ? ['it compares origins as whole strings'] : []),
    ...(originMatch === 'parsed' ? ['it accepts no subdomains of the origin'] : []),
    ...(publicKeys === 'checked' ? ['it refuses a public key that its algorithm cannot use'] : []),
    ...(publicKeys === 'strict' ? ['it refuses a public key that is weak or has extra members'] : []),
    ...(counter === true ? ['it refuses a sign count that has not grown'] : []),
  ];
}

/** The settings of a server that affect how it decides on mutations. */
export type TriedAt = Pick<Policy, 'attestationRoots' | 'selfAttestation' | 'topOrigins'> & { readonly origin: string };

/** Explains why a mutation proves nothing at this server. Returns undefined if the mutation proves something there. */
export function whyUnfit({ wants = {}, origin, expected }: CeremonyCase, at: TriedAt): string | undefined {
  const { trust, selfAttestation, topOrigin } = wants;
  if (origin !== undefined && new URL(at.origin).hostname.split('.').length < 3) return 'its RP ID is not a subdomain';
  if (topOrigin === true) return 'it needs a page in a frame of another origin';
  if (topOrigin === false && at.topOrigins.length > 0) return 'it accepts pages in frames of other origins (--top-origin)';
  if (selfAttestation === false && at.selfAttestation !== 'refuse') {
    return 'it accepts self attestation; start it with --self-attestation refuse';
  }
  const unassessed = trust === true && expected.outcome === 'rejected' && at.attestationRoots.length === 0;
  return unassessed ? 'it trusts no root; start it with --attestation-roots and what `passkey attestation-root` prints' : undefined;
}

/** Finds the slug of the step at which a correct server refuses a case; undefined if a correct server accepts the case. */
export function findRefusingStep(each: CeremonyCase): string | undefined {
  return each.expected.outcome === 'rejected' ? findStep(each) : undefined;
}

/**
 * Checks whether a mutation can change a finished response without the private key: it must not need another page, user, authenticator or
 * signature. Changed signed data also break the signature of a login, so the server must refuse the change at an earlier step.
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

/**
 * Makes the edits for an example login if they are the same for all logins. Undefined if making them is asynchronous, because it needs a
 * key.
 */
function makeExample({ edits, browser: traits }: AuthenticationSpec): AuthenticationEdits | undefined {
  if (typeof edits !== 'function') return edits ?? {};
  const context = contextAt({ origin: ORIGIN, topOrigin: undefined, newPrivateKey: systemKeyPairs, onRemark: undefined });
  const options = { challenge: 'AAAA', rpId: new URL(ORIGIN).hostname };
  const made = edits({ context, session: BEGUN_ELSEWHERE, browser: createBrowser(context, traits), options });
  return made instanceof Promise ? undefined : made;
}
