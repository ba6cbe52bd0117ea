import { SIGNING_ALGORITHMS } from '../../authenticator/algorithms.js';
import type { Fixture } from '../../fixture/format.js';
import { parseAaguid } from '../../webauthn/aaguid.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { readCoseAlgorithm } from '../../webauthn/cose-key.js';
import type { ExtensionsJSON } from '../../webauthn/json.js';
import { type JsonObject, objectOf } from '../../webauthn/json-value.js';
import type { Answer } from '../target/driver.js';
import { type AttestedBehaviour, type Behaviour, behaviourOf, compareBehaviour } from './behaviour.js';
import {
  authenticate,
  type Browser,
  type BrowserTraits,
  beginAuthentication,
  beginRegistration,
  createBrowser,
  performed,
  registerPasskey,
  requestOf,
} from './ceremony.js';
import { ACCEPTED } from './compare-answer.js';
import { type CaseContext, inContext, type RunContext } from './context.js';
import { compareOutcome } from './oracle.js';
import { type Verdict, verdictOf } from './scenario.js';
import { lacking } from './wants.js';

/**
 * Repeats a recorded ceremony: the software authenticator answers a fresh challenge with a key of its own, but with the
 * recorded flags, AAGUID, transports, extensions, counter behaviour, algorithm and attestation format.
 */
export async function replayRebound(fixture: Fixture, run: RunContext): Promise<Verdict> {
  const recorded = behaviourOf(fixture.response);
  const credential = registeredBehaviour(fixture, recorded);
  if (credential === undefined) return { status: 'not_applicable', reason: 'the recording does not say what credential answered' };
  const reason = whyImpossible(fixture, credential);
  if (reason !== undefined) return { status: 'not_applicable', reason };
  if (fixture.ceremony.mediation !== undefined && !recorded.userPresent) {
    return { status: 'not_applicable', reason: 'the API cannot begin a conditional create' };
  }
  if (run.remote !== undefined && recorded.crossOrigin) {
    return { status: 'not_applicable', reason: 'needs a server that allows the recorded top-level origin' };
  }
  const lacks =
    run.remote &&
    lacking({ algorithms: [credential.algorithm], ...(fixture.ceremony.discoverable && { login: 'discoverable' }) }, run.remote.driver.has);
  if (lacks !== undefined) return { status: 'not_applicable', reason: lacks };
  return inContext(run, { setup: { policy: fixture.ceremony.policy }, origin: fixture.origin }, async (context) => {
    const browser = createBrowser(context, traitsOf(fixture, recorded, credential));
    const repeated =
      fixture.kind === 'registration'
        ? await repeatRegistration(fixture, context, browser)
        : await repeatAuthentication(fixture, recorded, context, browser);
    return verdictOf([
      ...compareBehaviour(recorded, behaviourOf(repeated.response), repeated.sameAttestation),
      ...compareOutcome(requestOf(repeated.answer, fixture.kind), ACCEPTED, repeated.answer, context.driver.has),
    ]);
  });
}

interface Repeated {
  readonly response: JsonObject;
  readonly answer: Answer;
  /** Whether the server asked for the recorded attestation. */
  readonly sameAttestation: boolean;
}

async function repeatRegistration({ ceremony }: Fixture, context: CaseContext, browser: Browser): Promise<Repeated> {
  const session = await context.session(1);
  const options = { ...(await beginRegistration(context, session)), ...extensionsOf(ceremony.options) };
  const response = { ...(await performed(context, browser.page.create({ publicKey: options }))) };
  const answer = await session.finishRegistration(response);
  return { response, answer, sameAttestation: options.attestation === ceremony.policy.attestation };
}

async function repeatAuthentication(
  { ceremony, credential }: Fixture,
  { backupState }: Behaviour,
  context: CaseContext,
  browser: Browser,
): Promise<Repeated> {
  const session = await context.session(1);
  const passkey = await registerPasskey(context, session, browser);
  const { credentialId, rpId } = passkey;
  await browser.authenticator.store.update(rpId, decodeBase64url(credentialId), (source) => ({ ...source, backupState }));
  const visit = session.newVisit();
  const wants = ceremony.discoverable ? { login: 'discoverable' as const } : {};
  const options = await beginAuthentication(context, visit, passkey, wants);
  const extensions = extensionsOf(ceremony.options, [credential?.id ?? '', credentialId]);
  const response = { ...(await authenticate(context, browser, { ...options, ...extensions })) };
  const answer = await visit.finishAuthentication(response);
  return { response, answer, sameAttestation: true };
}

/** The recorded extension inputs, naming the new credential wherever they named the recorded one. */
function extensionsOf(options: JsonObject, [recorded, rebound] = ['', '']): { readonly extensions?: ExtensionsJSON } {
  if (options.extensions === undefined) return {};
  const text = JSON.stringify(options.extensions);
  return { extensions: objectOf(JSON.parse(recorded === '' ? text : text.replaceAll(`"${recorded}"`, `"${rebound}"`))) };
}

/** What is known of the credential that answered: from its attestation, or from the record of an earlier registration. */
function registeredBehaviour({ credential }: Fixture, { attested }: Behaviour): AttestedBehaviour | undefined {
  if (attested !== undefined || credential === undefined) return attested;
  return {
    aaguid: credential.aaguid,
    algorithm: readCoseAlgorithm(decodeBase64url(credential.publicKey)),
    credentialIdLength: decodeBase64url(credential.id).length,
    transports: credential.transports,
    // No assertion depends on the attestation.
    format: 'none',
    certified: false,
  };
}

function whyImpossible({ origin }: Fixture, { algorithm, format, certified }: AttestedBehaviour): string | undefined {
  if (!SIGNING_ALGORITHMS.some(({ id }) => id === algorithm)) {
    return `the software authenticator cannot sign with ${algorithmName(algorithm)}`;
  }
  if (certified || !['none', 'packed'].includes(format)) return `the software authenticator has no attestation certificates (${format})`;
  return /^https?:/.test(origin) ? undefined : `no browser runs at ${origin}`;
}

/** Makes the software authenticator, its user and the page behave as recorded. */
function traitsOf(fixture: Fixture, recorded: Behaviour, registered: AttestedBehaviour): BrowserTraits {
  const { kind, ceremony, credential } = fixture;
  const { aaguid, algorithm, credentialIdLength, transports, format } = registered;
  return {
    authenticator: {
      aaguid: parseAaguid(aaguid),
      algorithms: [algorithm],
      attestation: format === 'packed' ? 'packed' : 'none',
      alwaysDiscoverable: recorded.withUserHandle,
      // Discoverable credentials answer with a user handle.
      residentKey: kind === 'registration' || recorded.withUserHandle || ceremony.policy.residentKey === 'required',
      backupEligible: recorded.backupEligible,
      backupState: kind === 'registration' ? recorded.backupState : (credential?.backupState ?? false),
      signCount: counting(fixture, recorded),
      transports,
      ...(recorded.attachment === 'cross-platform' && { attachment: 'cross-platform' }),
      // The software authenticator makes no shorter ones: they would not be random enough.
      ...(credentialIdLength >= 16 && { credentialIdLength }),
    },
    user: userScript(fixture, recorded),
    page: { crossOrigin: recorded.crossOrigin, ...(recorded.topOrigin !== undefined && { topOrigin: recorded.topOrigin }) },
  };
}

/** A new credential starts at the recorded count; an assertion adds as much as the recorded one added. */
function counting({ kind, credential }: Fixture, { signCount }: Behaviour) {
  const start = kind === 'registration' ? signCount : (credential?.signCount ?? 0);
  if (start === 0 && signCount === 0) return { kind: 'zero' } as const;
  return { kind: 'per-credential', start, step: Math.max(signCount - start, 0) } as const;
}

/** What the user does when registering the passkey and, for an authentication, when using it. */
function userScript({ kind, credential, ceremony }: Fixture, { userVerified }: Behaviour) {
  const outcome = (verified: boolean) => (verified ? 'verified' : 'present');
  if (kind === 'registration') return [outcome(userVerified)] as const;
  const registered = ceremony.policy.userVerification === 'required' || (credential?.uvInitialized ?? false);
  return [outcome(registered), outcome(userVerified)] as const;
}
