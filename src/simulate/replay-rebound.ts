import type { Fixture } from '../fixture/format.js';
import { decodeBase64url } from '../webauthn/base64url.js';
import type { ExtensionsJSON } from '../webauthn/json.js';
import { type Behaviour, behaviourOf } from './behaviour.js';
import { type Actor, createActor } from './cases/actor.js';
import { registerHonestly } from './cases/authentication-case.js';
import { askCreationOptions, askRequestOptions, CaseEnded, checkVerifiable, performed, sendRegistration } from './cases/requests.js';
import { openStage, type Playhouse, type Stage } from './cases/stage.js';
import { type HttpAnswer, postJson } from './http.js';
import { reboundTraits } from './rebound-traits.js';
import type { Mismatch } from './report.js';
import { compareAnswer, objectOf, type Verdict, verdictOf } from './scenario.js';

/**
 * Does a recorded ceremony again: the software authenticator answers a fresh challenge with a key of its own, but with the
 * recording's flags, AAGUID, transports, extensions, counter behaviour, algorithm and attestation format.
 */
export async function replayRebound(fixture: Fixture, playhouse: Playhouse): Promise<Verdict> {
  const recorded = behaviourOf(fixture.response);
  const rebound = reboundTraits(fixture, recorded);
  if (rebound.status === 'impossible') return { status: 'not_applicable', reason: rebound.reason };
  if (playhouse.remote !== undefined && recorded.crossOrigin) {
    return { status: 'not_applicable', reason: 'needs a server that allows the recorded top-level origin' };
  }
  const stage = await openStage(playhouse, { policy: fixture.ceremony.policy }, fixture.origin);
  try {
    const actor = createActor(stage, rebound.traits);
    const done = fixture.kind === 'registration' ? await register(fixture, stage, actor) : await authenticate(fixture, stage, actor);
    return verdictOf([
      ...compareBehaviour(recorded, behaviourOf(done.response), done.sameAttestation),
      ...compareAnswer(done.at, { outcome: 'verified' }, done.answer),
    ]);
  } catch (error) {
    if (error instanceof CaseEnded) return error.verdict;
    throw error;
  } finally {
    await stage.close();
  }
}

interface Done {
  readonly at: string;
  readonly response: Readonly<Record<string, unknown>>;
  readonly answer: HttpAnswer;
  /** Whether the server asked for attestation as the recorded one did. */
  readonly sameAttestation: boolean;
}

async function register({ ceremony }: Fixture, stage: Stage, actor: Actor): Promise<Done> {
  const options = await askCreationOptions(stage);
  const extensions = extensionsOf(ceremony.options);
  const response = { ...(await performed(stage, actor.elsewhere.create({ publicKey: { ...options, ...extensions } }))) };
  const answer = await sendRegistration(stage, response);
  return { at: 'POST /api/passkeys/register', response, answer, sameAttestation: options.attestation === ceremony.policy.attestation };
}

async function authenticate(fixture: Fixture, stage: Stage, actor: Actor): Promise<Done> {
  const { ceremony, credential } = fixture;
  const { credentialId } = await registerHonestly(stage, actor);
  await actor.authenticator.store.update(stage.rpId, decodeBase64url(credentialId), (source) => ({
    ...source,
    backupState: behaviourOf(fixture.response).backupState,
  }));
  const from = ceremony.discoverable ? 'login/options' : 'verify/options';
  const options = await askRequestOptions(stage, from, credentialId);
  checkVerifiable(stage, options, actor.authenticator);
  const extensions = extensionsOf(ceremony.options, [credential?.id ?? '', credentialId]);
  const response = { ...(await performed(stage, actor.elsewhere.get({ publicKey: { ...options, ...extensions } }))) };
  const answer = await postJson(stage.target, '/api/passkeys/login', response);
  return { at: 'POST /api/passkeys/login', response, answer, sameAttestation: true };
}

/** The recorded extension inputs; where they name the recorded credential, they name the new one. */
function extensionsOf(
  options: Readonly<Record<string, unknown>>,
  [recorded, rebound] = ['', ''],
): { readonly extensions?: ExtensionsJSON } {
  if (options.extensions === undefined) return {};
  const text = JSON.stringify(options.extensions);
  return { extensions: objectOf(JSON.parse(recorded === '' ? text : text.replaceAll(`"${recorded}"`, `"${rebound}"`))) };
}

/** Holds the new response against the recorded one: everything that a relying party can tell of it but the key. */
function compareBehaviour(recorded: Behaviour, rebound: Behaviour, sameAttestation: boolean): Mismatch[] {
  const { format: _, certified: __, credentialIdLength: ___, ...attested } = recorded.attested ?? {};
  const wanted = {
    ...recorded,
    ...attested,
    attested: undefined,
    // An authenticator may leave it out; only where it came must it come again.
    withUserHandle: recorded.withUserHandle || undefined,
    ...(sameAttestation && { format: recorded.attested?.format }),
  };
  const received = { ...rebound, ...rebound.attested };
  return Object.entries(wanted).flatMap(([member, value]) => {
    const [expected, got] = [JSON.stringify(value), JSON.stringify(objectOf(received)[member])];
    // What the recording does not tell is not compared.
    return value === undefined || expected === got ? [] : [{ at: `behaviour: ${member}`, expected, received: got ?? 'nothing' }];
  });
}
