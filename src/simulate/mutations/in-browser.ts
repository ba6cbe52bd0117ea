import { systemKeyPairs } from '../../authenticator/key-pair.js';
import { AUTHENTICATION_STEPS } from '../../relying-party/steps/authentication.js';
import { createBrowser } from '../engine/ceremony.js';
import type { AuthenticationSpec, CeremonyCase } from '../engine/ceremony-cases.js';
import type { AuthenticationEdits } from '../engine/edits.js';
import { BEGUN_ELSEWHERE, placeOf } from './context.js';

/**
 * Whether the change can be made to a response of any authenticator, whose private key nobody here has: no other page, user or authenticator
 * makes it, and no signature has to be made anew for it to end as the case says. A login whose signed data are changed is refused for its
 * signature as well, so that the change must fail a step before that one.
 */
export function isInBrowser({ builtOf, expected, step: tested }: CeremonyCase): boolean {
  const { ceremony, spec } = builtOf;
  const { browser: { page, user, authenticator } = {}, rewrite, options, edits } = spec;
  if (edits === undefined || rewrite !== undefined || options !== undefined || page !== undefined || user !== undefined) return false;
  // Without attestation nothing of a registration is signed.
  if (ceremony === 'registration') return authenticator?.attestation === undefined;
  const made = exampleOf(builtOf.spec);
  if (made === undefined || made.sign !== undefined) return false;
  const { clientData, clientDataBytes, authenticatorData } = made;
  if (clientData === undefined && clientDataBytes === undefined && authenticatorData === undefined) return true;
  const step = expected.outcome === 'rejected' ? (expected.step ?? tested) : undefined;
  return AUTHENTICATION_STEPS.slice(0, SIGNATURE).some(({ slug }) => slug === step);
}

const SIGNATURE = AUTHENTICATION_STEPS.findIndex(({ slug }) => slug === 'signature');

const ORIGIN = 'https://www.example.org';

/** The edits as they are for some login: which of them there are is the same for all. Undefined where they wait for a key to be made. */
function exampleOf({ edits, browser: traits }: AuthenticationSpec): AuthenticationEdits | undefined {
  if (typeof edits !== 'function') return edits ?? {};
  const context = placeOf({ origin: ORIGIN, topOrigin: undefined, newPrivateKey: systemKeyPairs, onRemark: undefined });
  const options = { challenge: 'AAAA', rpId: new URL(ORIGIN).hostname };
  const made = edits({ context, session: BEGUN_ELSEWHERE, browser: createBrowser(context, traits), options });
  return made instanceof Promise ? undefined : made;
}
