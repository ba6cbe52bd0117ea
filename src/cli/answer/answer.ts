import { SIGNING_ALGORITHMS } from '../../authenticator/algorithms.js';
import { createAuthenticator } from '../../authenticator/authenticator.js';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import { type CredentialSourceStore, createCredentialSourceStore } from '../../authenticator/credential-store.js';
import { PERSONAS, type PersonaName } from '../../authenticator/personas/personas.js';
import type { AuthenticatorOptions } from '../../authenticator/settings.js';
import { scriptedUser } from '../../authenticator/user-verifier.js';
import { type Client, createClient } from '../../client/client.js';
import { PasskeyError } from '../../errors.js';
import type { JsonObject } from '../../kernel/json-value.js';
import type { Challenges } from '../../server/software-answers.js';
import type { findOtherChallenge, Mutation } from '../../simulate/mutations/mutation.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { chooseByIds } from '../credential-rows.js';
import type { Keeper } from './keeper.js';
import type { FoundOptions } from './options.js';
import { toLoginRefusal, toRefusal } from './refusal.js';

/** When the software authenticator verifies the user: if the options ask for it, always, or never. */
export const USER_VERIFICATIONS = ['as-asked', 'always', 'never'] as const;

/** How a software authenticator must respond: with which persona or credential, and for which origin. */
export interface Answering {
  /** The origin of the page that made the call. */
  readonly origin: string;
  readonly topOrigin?: string | undefined;
  readonly crossOrigin?: boolean | undefined;
  /** Set if a browser has already checked that the origin may use the RP ID. */
  readonly rpIdChecked?: true;
  readonly mediation?: 'conditional' | undefined;
  readonly persona?: PersonaName | undefined;
  readonly userVerification?: (typeof USER_VERIFICATIONS)[number] | undefined;
  /** A credential ID, or the beginning of one. Only this credential may respond to a login. */
  readonly credentialId?: string | undefined;
  /** ID of the mutation that breaks the response on purpose. */
  readonly tamper?: string | undefined;
  /** Registers each new credential on a new device, so that the user's earlier credential is not replaced. */
  readonly newDevice?: true;
  /**
   * Finds another challenge of the same server, for mutations whose response answers another challenge. Without this function, these
   * mutations are not applicable.
   */
  readonly findChallenge?: Challenges['findChallenge'] | undefined;
}

export interface Answered {
  readonly ceremony: CeremonyKind;
  readonly response: JsonObject;
  /** The correct response, before the mutation broke it. */
  readonly honest?: JsonObject;
  /** The credential that was made or used, in its new state. */
  readonly source: CredentialSource;
  /** The mutation that broke the response, if one did. */
  readonly mutation?: Mutation;
}

/**
 * Answers options as a browser with a software authenticator would.
 *
 * @throws PasskeyError `options_refused` if a browser would refuse the options; `validation_failed` if no browser could read them; `usage`
 * for an invalid origin, for a persona that cannot verify the user as required, or for an unknown mutation; `not_applicable` for a mutation
 * that does not fit the options.
 */
export async function answer(keeper: Keeper, found: FoundOptions, answering: Answering): Promise<Answered> {
  const { ceremony } = found;
  const { tamper, findChallenge } = answering;
  if (tamper !== undefined) {
    const { findMutation, findOtherChallenge } = await import('../../simulate/mutations/mutation.js');
    const other = findOtherChallenge(tamper, ceremony);
    if (other !== undefined && findChallenge !== undefined) return await answerOther(keeper, found, { answering, other, findChallenge });
    findMutation(tamper, ceremony);
  }
  return await keeper.change({ create: ceremony === 'registration' }, async (store) =>
    ceremony === 'registration' ? await register(store, found, answering) : await logIn(store, found, { answering, place: keeper.place }),
  );
}

interface WithOtherChallenge extends Challenges {
  readonly answering: Answering;
  readonly other: NonNullable<ReturnType<typeof findOtherChallenge>>;
}

/**
 * Answers another challenge than the one in the options. The response is complete and correctly signed, so the challenge is its only
 * mistake. First makes an honest response, to find out which credential responds: the other challenge must be one for that credential.
 */
async function answerOther(
  keeper: Keeper,
  found: FoundOptions,
  { answering, other, findChallenge }: WithOtherChallenge,
): Promise<Answered> {
  const { otherChallenge } = await import('./other-challenge.js');
  const { origin } = answering;
  const honest = { ...answering, tamper: undefined };
  const { mutation } = other;
  return await keeper.change({ create: found.ceremony === 'registration' }, async (store) => {
    // A credential that will be refused is not kept.
    const scratch = createCredentialSourceStore(await store.list());
    const challengeFor = ({ source }: Answered) =>
      otherChallenge(other, { findChallenge, found, origin, credentialId: encodeBase64url(source.id) });
    if (found.ceremony === 'registration') {
      const first = await register(createCredentialSourceStore(await store.list()), found, honest);
      const options = { ...found.options, challenge: challengeFor(first) };
      return { ...(await register(scratch, { ...found, options }, honest)), honest: first.response, mutation };
    }
    const { place } = keeper;
    const first = await logIn(scratch, found, { answering: honest, place });
    const options = { ...found.options, challenge: challengeFor(first) };
    const same = { ...honest, credentialId: encodeBase64url(first.source.id) };
    return { ...(await logIn(store, { ...found, options }, { answering: same, place })), honest: first.response, mutation };
  });
}

async function register(
  store: CredentialSourceStore,
  { options }: FoundOptions & { readonly ceremony: 'registration' },
  answering: Answering,
): Promise<Answered> {
  const { credentialId, mediation, origin, topOrigin, tamper } = answering;
  if (credentialId !== undefined) {
    throw new PasskeyError(
      'usage',
      'A credential ID is for logins; these are creation options, which make a new credential. Leave it out.',
    );
  }
  // What is made to be refused must not be the newest credential at the next login.
  const making = tamper === undefined && answering.newDevice !== true ? store : createCredentialSourceStore(await store.list());
  const honest = await clientFor(making, answering)
    .create({ publicKey: options, ...(mediation && { mediation }) })
    .catch((cause: unknown) => {
      throw toRefusal(cause);
    });
  const credential = await findSource(making, honest.id);
  if (tamper === undefined) {
    if (making !== store) await putBeside(store, credential);
    return { ceremony: 'registration', response: { ...honest }, source: credential };
  }
  const { tamperRegistration } = await import('./tamper.js');
  const { userVerifier: _, ...authenticator } = chooseTraits(answering);
  const tampered = await tamperRegistration({ id: tamper, options, origin, topOrigin, honest, credential, authenticator });
  if (tampered.mutation.expected === 'accepted') {
    await (answering.newDevice === true ? putBeside(store, tampered.credential) : store.put(tampered.credential));
  }
  return {
    ceremony: 'registration',
    response: tampered.response,
    honest: { ...honest },
    source: tampered.credential,
    mutation: tampered.mutation,
  };
}

/**
 * Adds a credential without replacing the user's discoverable credential, as if the new one were on another device. `put` alone would
 * replace the existing one.
 */
async function putBeside(store: CredentialSourceStore, source: CredentialSource): Promise<void> {
  await store.put({ ...source, discoverable: false });
  await store.update(source.rpId, source.id, () => source);
}

async function logIn(
  store: CredentialSourceStore,
  { options }: FoundOptions & { readonly ceremony: 'authentication' },
  { answering, place }: { readonly answering: Answering; readonly place: string },
): Promise<Answered> {
  const held = await store.list();
  const rpId = options.rpId ?? readHost(answering);
  const { credentialId, mediation, origin, topOrigin, tamper } = answering;
  const offered = credentialId === undefined ? store : createCredentialSourceStore(chooseByIds(held, [credentialId]));
  const honest = await clientFor(offered, answering)
    .get({ publicKey: options, ...(mediation && { mediation }) })
    .catch((cause: unknown) => {
      throw toLoginRefusal(cause, { options, rpId, held, place });
    });
  const credential = await findSource(offered, honest.id);
  if (tamper === undefined) {
    if (offered !== store) await keepCount(store, credential);
    return { ceremony: 'authentication', response: { ...honest }, source: credential };
  }
  const { tamperLogin } = await import('./tamper.js');
  const { mutation, response } = await tamperLogin({ id: tamper, options, origin, topOrigin, honest, credential });
  // Another browser may have made the response, and counted once more.
  const source = await keepCount(store, { ...credential, signCount: credential.signCount === 0 ? 0 : credential.signCount + 1 });
  return { ceremony: 'authentication', response, honest: { ...honest }, source, mutation };
}

async function keepCount(store: CredentialSourceStore, source: CredentialSource): Promise<CredentialSource> {
  await store.update(source.rpId, source.id, () => source);
  return source;
}

/**
 * Creates the client with the given origin and authenticator. @throws PasskeyError `usage` for an invalid origin, or for a top-level origin
 * when the call does not come from a frame.
 */
function clientFor(store: CredentialSourceStore, answering: Answering): Client {
  const { origin, topOrigin, crossOrigin, rpIdChecked } = answering;
  const authenticator = createAuthenticator({ ...chooseTraits(answering), store });
  try {
    return createClient({
      authenticator,
      origin,
      ...(topOrigin !== undefined && { topOrigin }),
      ...(crossOrigin !== undefined && { crossOrigin }),
      ...(rpIdChecked === true && { fetch: async (url) => ({ ...LISTED, url, text: async () => JSON.stringify({ origins: [origin] }) }) }),
    });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new PasskeyError('usage', cause.message, { cause });
  }
}

/** A site's list of related origins, in the form in which the client would receive it. The browser has already checked the real list. */
const LISTED = { status: 200, headers: { get: () => 'application/json' } };

/**
 * Options of an authenticator without a persona. It uses the first algorithm in the options that it knows. It counts signatures in the same
 * way as the authenticator that made the credential.
 */
const WITHOUT_PERSONA: AuthenticatorOptions = { algorithms: SIGNING_ALGORITHMS.map(({ id }) => id), signCount: { kind: 'as-before' } };

function chooseTraits({ persona, userVerification = 'as-asked' }: Answering): AuthenticatorOptions {
  const traits: AuthenticatorOptions = persona === undefined ? WITHOUT_PERSONA : PERSONAS[persona];
  if (userVerification === 'as-asked') return traits;
  if (userVerification === 'never') return { ...traits, userVerifier: scriptedUser('present') };
  if (traits.userVerifier?.canVerify === false) {
    throw new PasskeyError(
      'usage',
      `The persona ${persona} cannot verify its user, so user verification cannot be "always". Choose another persona.`,
    );
  }
  return { ...traits, userVerifier: scriptedUser('verified') };
}

const readHost = ({ origin }: Answering): string => parseUrl(origin)?.hostname ?? '';

/**
 * Finds a credential by its ID alone. Its RP ID may differ from that of the options, because an AppID (WebAuthn L3 §10.1.1) may replace it.
 */
async function findSource(store: CredentialSourceStore, id: string): Promise<CredentialSource> {
  const source = (await store.list()).find((each) => encodeBase64url(each.id) === id);
  if (source !== undefined) return source;
  throw new PasskeyError('internal_error', 'The credential that responded is not in its store; this is a bug in passkey.');
}
