import { SIGNING_ALGORITHMS } from '../../authenticator/algorithms.js';
import { ATTESTATION_NAMES, type AttestationName, attestationFormats } from '../../authenticator/attestation/named-formats.js';
import type { Fixture } from '../../fixture/format.js';
import type { JsonObject } from '../../kernel/json-value.js';
import { hostSuffixes } from '../../relying-party/diagnosis/rp-id.js';
import type { Policy } from '../../relying-party/policy.js';
import { parseAaguid } from '../../webauthn/aaguid.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { readCoseAlgorithm } from '../../webauthn/cose-key.js';
import type { PublicKeyCredentialCreationOptionsJSON } from '../../webauthn/json.js';
import { caseKey } from '../report/report.js';
import { refusesNone } from '../target/attestation-for.js';
import type { Answer } from '../target/driver.js';
import type { TargetCapabilities } from '../target/profile-schema.js';
import {
  type AttestedBehaviour,
  type Behaviour,
  compareBehaviour,
  extensionInputs,
  extensionsShown,
  preparationInputs,
  readBehaviour,
  selectionFor,
} from './behaviour.js';
import {
  authenticate,
  type Browser,
  type BrowserTraits,
  beginAuthentication,
  beginRegistration,
  createBrowser,
  createPasskey,
  nameRequest,
  registerPasskey,
} from './ceremony.js';
import { type CaseContext, inContext, type RunContext } from './context.js';
import { type Demands, holdCreationOptions, lacking, policyFor } from './demands.js';
import { ACCEPTED, compareOutcome } from './outcome.js';
import { type Lack, notApplicable, toNotApplicable, toVerdict, type Verdict } from './scenario.js';

/**
 * Repeats a recorded ceremony at the tested relying party. The software authenticator answers a fresh challenge with its own key, but with
 * the recorded flags, AAGUID, transports, extensions, counter behaviour, algorithm and attestation format. A target other than our own
 * server is asked for the recorded options as far as its profile can request them. The replay then follows the options that the target
 * actually sends.
 */
export async function replayRebound(fixture: Fixture, run: RunContext): Promise<Verdict> {
  const recorded = readBehaviour(fixture.response);
  const credential = registeredBehaviour(fixture, recorded);
  if (credential === undefined) return { status: 'not_applicable', reason: 'the recording does not say which credential answered' };
  const why = whyImpossible(fixture, credential) ?? whyNotThere(fixture, { recorded, credential }, run);
  if (why !== undefined) return toNotApplicable(why);
  const { policy } = fixture.ceremony;
  const key = caseKey({ id: fixture.name, replay: 'rebound' });
  return inContext(run, { key, setup: { policy: policyTrusting(policy) }, origin: fixture.origin }, async (context) => {
    const browser = createBrowser(context, toTraits(fixture, { recorded, credential }, context));
    const repeating = { fixture, recorded, credential, context, browser, hopes: toHopes(policy) };
    const repeated = await (fixture.kind === 'registration' ? repeatRegistration(repeating) : repeatAuthentication(repeating));
    return toVerdict([
      ...compareBehaviour(recorded, readBehaviour(repeated.response), repeated.sameAttestation),
      ...compareOutcome(nameRequest(repeated.answer, fixture.kind), ACCEPTED, repeated.answer, context.driver.has),
    ]);
  });
}

interface Recorded {
  readonly recorded: Behaviour;
  readonly credential: AttestedBehaviour;
}

interface Repeating extends Recorded {
  readonly fixture: Fixture;
  readonly context: CaseContext;
  readonly browser: Browser;
  readonly hopes: Demands;
}

interface Repeated {
  readonly response: JsonObject;
  readonly answer: Answer;
  /** Whether the tested server requested the same attestation conveyance as the recorded one. */
  readonly sameAttestation: boolean;
}

/** Converts the recorded relying party's policy to optional demands on the tested one. */
function toHopes({ algorithms, attestation, residentKey, userVerification }: Fixture['ceremony']['policy']): Demands {
  return { algorithms, attestation, residentKey, userVerification };
}

async function repeatRegistration({ fixture, recorded, credential, context, browser, hopes }: Repeating): Promise<Repeated> {
  const session = await context.session(1);
  const asked = await beginRegistration(context, session, {}, hopes);
  const { attachment } = recorded;
  if (attachment === 'platform' || attachment === 'cross-platform') holdCreationOptions({ attachment }, asked);
  const reason = whyUnverified(recorded, asked.authenticatorSelection) ?? whyNotTaken(credential, asked, context.driver.has);
  if (reason !== undefined) throw notApplicable(reason);
  const sameAttestation = (asked.attestation ?? 'none') === fixture.ceremony.policy.attestation;
  if (!sameAttestation && credential.format !== 'none') {
    context.remark(
      `The target asks for attestation "${asked.attestation ?? 'none'}", so the recorded format ${credential.format} was not compared.`,
    );
  }
  const extensions = extensionInputs(fixture, recorded);
  const authenticatorSelection = { ...asked.authenticatorSelection, ...selectionFor(extensions, fixture, recorded) };
  const publicKey = { ...asked, authenticatorSelection, ...(extensions && { extensions }) };
  const response = { ...(await createPasskey(context, browser, browser.page, { publicKey })) };
  return { response, answer: await session.finishRegistration(response), sameAttestation };
}

async function repeatAuthentication({ fixture, recorded, context, browser, hopes }: Repeating): Promise<Repeated> {
  const { ceremony, credential } = fixture;
  const session = await context.session(1);
  const { attestation: _, ...preparing } = hopes;
  const passkey = await registerPasskey(context, session, browser, {}, { hopes: preparing, extensions: preparationInputs(fixture) });
  const { credentialId, rpId } = passkey;
  const { backupState } = recorded;
  await browser.authenticator.store.update(rpId, decodeBase64url(credentialId), (source) => ({ ...source, backupState }));
  const visit = session.newVisit();
  const wants = ceremony.discoverable ? { login: 'discoverable' as const } : {};
  const asked = await beginAuthentication(context, visit, passkey, wants, hopes);
  const reason = whyUnverified(recorded, asked);
  if (reason !== undefined) throw notApplicable(reason);
  const extensions = extensionInputs(fixture, recorded, [credential?.id ?? '', credentialId]);
  const response = { ...(await authenticate(context, browser, { ...asked, ...(extensions && { extensions }) })) };
  return { response, answer: await visit.finishAuthentication(response), sameAttestation: true };
}

function whyUnverified({ userVerified }: Behaviour, asked: { readonly userVerification?: string } | undefined): string | undefined {
  return asked?.userVerification === 'required' && !userVerified
    ? 'the target requires user verification, but the recorded user was not verified'
    : undefined;
}

/**
 * Reads the properties of the credential in a fixture: from the attestation of a recorded registration, or for a login from the stored
 * record of the credential.
 */
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

function whyImpossible({ origin }: Fixture, attested: AttestedBehaviour): string | undefined {
  const { algorithm } = attested;
  if (!SIGNING_ALGORITHMS.some(({ id }) => id === algorithm)) {
    return `the software authenticator cannot sign with ${algorithmName(algorithm)}`;
  }
  if (!/^https?:/.test(origin)) return `browsers run no ceremonies on ${origin}`;
  return whyNoAttestation(attested);
}

/** Explains why the tested relying party cannot run the recorded kind of ceremony, as far as its profile shows. Undefined if it can. */
function whyNotThere({ kind, ceremony }: Fixture, { recorded, credential }: Recorded, { remote }: RunContext): string | Lack | undefined {
  if (ceremony.mediation !== undefined && !recorded.userPresent) return 'the API cannot begin a conditional create';
  if (remote === undefined) return undefined;
  if (recorded.crossOrigin) return 'needs a server that allows the recorded top-level origin';
  // A login that named its credential may be repeated without, where it answered with a user handle.
  const login =
    kind === 'registration' ? undefined : ceremony.discoverable ? 'discoverable' : recorded.withUserHandle ? undefined : 'named';
  return lacking({ algorithms: [credential.algorithm], ...(login !== undefined && { login }) }, remote.driver.has);
}

/** Makes the software authenticator, its user and the page behave as recorded. */
function toTraits(fixture: Fixture, { recorded, credential: registered }: Recorded, { origin, server }: CaseContext): BrowserTraits {
  const { kind, ceremony, credential } = fixture;
  const { aaguid, algorithm, credentialIdLength, transports } = registered;
  return {
    authenticator: {
      algorithms: [algorithm],
      // No login depends on model and attestation: its passkey is registered as the target wants.
      ...(kind === 'registration' && { aaguid: parseAaguid(aaguid), attestation: attestationLike(registered) ?? 'none' }),
      extensions: extensionsShown(recorded),
      minPinLengthRpIds: hostSuffixes(new URL(origin).hostname),
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
    user: userScript(fixture, recorded, server === undefined),
    page: { crossOrigin: recorded.crossOrigin, ...(recorded.topOrigin !== undefined && { topOrigin: recorded.topOrigin }) },
  };
}

/**
 * Chooses the sign counts for a replay. A new credential starts at the recorded count, and each login increases its count by the same
 * amount as in the recording.
 */
function counting({ kind, credential }: Fixture, { signCount }: Behaviour) {
  const start = kind === 'registration' ? signCount : (credential?.signCount ?? 0);
  if (start === 0 && signCount === 0) return { kind: 'zero' } as const;
  return { kind: 'per-credential', start, step: Math.max(signCount - start, 0) } as const;
}

/**
 * Lists how the simulated user responds at the registration and at the login. At the registration, the user is always verified on a target
 * other than our own, because it may require more there.
 */
function userScript({ kind, credential, ceremony }: Fixture, { userVerified }: Behaviour, isRemote: boolean) {
  const outcome = (verified: boolean) => (verified ? 'verified' : 'present');
  if (kind === 'registration') return [outcome(userVerified)] as const;
  const registered = isRemote || ceremony.policy.userVerification === 'required' || (credential?.uvInitialized ?? false);
  return [outcome(registered), outcome(userVerified)] as const;
}

/**
 * Chooses how the software authenticator makes an attestation statement like the recorded one. Certificates in the new statement come from
 * the test authority.
 */
function attestationLike({ format, certified }: AttestedBehaviour): AttestationName | undefined {
  return format === 'packed' && certified ? 'packed-x5c' : ATTESTATION_NAMES.find((name) => name === format);
}

/** Explains why the software authenticator cannot make an attestation statement like the recorded one. Undefined if it can. */
function whyNoAttestation(attested: AttestedBehaviour): string | undefined {
  const { format, algorithm } = attested;
  const attestation = attestationLike(attested);
  if (attestation === undefined) return `the software authenticator cannot make attestations of the format ${JSON.stringify(format)}`;
  const [made] = attestationFormats({ attestation });
  return made.attests?.(algorithm) === false
    ? `the attestation format ${format} does not support keys of ${algorithmName(algorithm)}`
    : undefined;
}

/** Copies the recorded policy. If that policy trusts any authority, the copy trusts the authority of the software authenticator instead. */
function policyTrusting(policy: Partial<Policy>): Partial<Policy> {
  return (policy.attestationRoots ?? []).length === 0 ? policy : { ...policy, ...policyFor({ trust: true }) };
}

/** Explains why a target cannot accept the recorded attestation; undefined if it can. A target that requests no attestation gets none. */
function whyNotTaken(
  { format, certified }: AttestedBehaviour,
  { attestation = 'none' }: PublicKeyCredentialCreationOptionsJSON,
  has: TargetCapabilities,
): string | Lack | undefined {
  if (attestation === 'none' || format === 'none') return refusesNone(has) ? lacking({ format: 'none' }, has) : undefined;
  const isSelf = format === 'packed' && !certified;
  return lacking({ format, ...(isSelf ? { selfAttestation: true } : { certificates: true }) }, has);
}
