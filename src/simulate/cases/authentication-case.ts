import type { CredentialSource } from '../../authenticator/credential-source.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import { type HttpAnswer, postJson } from '../http.js';
import type { Mismatch } from '../report.js';
import { compareAnswer, objectOf } from '../scenario.js';
import { type Actor, type ActorTraits, createActor } from './actor.js';
import type { Case } from './case.js';
import {
  askCreationOptions,
  askRequestOptions,
  type Beginning,
  checkVerifiable,
  failedAt,
  performed,
  prepared,
  sendRegistration,
} from './requests.js';
import type { Stage, User } from './stage.js';
import { type AuthenticationEdits, type JsonObject, tamperAuthentication } from './tamper.js';

/** One authentication with a passkey that was registered before, honestly, by user 1. */
export interface AuthenticationSpec extends Omit<Case, 'run' | 'tags'> {
  readonly tags?: readonly string[];
  /** Which endpoint takes the response; default `login`. */
  readonly endpoint?: 'verify' | 'login';
  /** Which one begins it; default `verify/options`. */
  readonly from?: Beginning;
  readonly actor?: ActorTraits;
  readonly edits?: AuthenticationEdits;
  /** After the options and before the response. */
  readonly between?: (moment: AuthenticationMoment) => unknown;
  /** Makes another body of the one that would be sent. */
  readonly rewrite?: (moment: AuthenticationMoment) => JsonObject | Promise<JsonObject>;
  /** Looks at an accepted answer. */
  readonly check?: (answer: HttpAnswer, moment: AuthenticationMoment) => Mismatch[] | Promise<Mismatch[]>;
}

export interface RegisteredPasskey {
  /** Base64url. */
  readonly credentialId: string;
  /** The number that the API gave it. */
  readonly id: number;
}

export interface AuthenticationMoment {
  readonly stage: Stage;
  readonly passkey: RegisteredPasskey;
  readonly options: PublicKeyCredentialRequestOptionsJSON;
  readonly body: JsonObject;
}

export function authenticationCase(spec: AuthenticationSpec): Case {
  const { tags = [], endpoint = 'login', from = 'verify/options', actor: traits, edits = {}, between, rewrite, check, ...described } = spec;
  const path = `/api/passkeys/${endpoint}`;
  return {
    ...described,
    tags: ['authentication', endpoint, ...(from === 'login/options' ? ['discoverable'] : []), ...tags],
    async run(stage) {
      const actor = createActor(stage, traits);
      const passkey = await registerHonestly(stage, actor);
      const options = await askRequestOptions(stage, from, passkey.credentialId);
      checkVerifiable(stage, options, actor.authenticator);
      const honest = await performed(stage, actor.elsewhere.get({ publicKey: options }));
      const body = tamperAuthentication(honest, await sourceOf(actor, stage, honest), edits);
      const moment = { stage, passkey, options, body };
      await between?.(moment);
      const answer = await postJson(stage.target, path, (await rewrite?.(moment)) ?? body);
      const mismatches = compareAnswer(`POST ${path}`, spec.expected, answer);
      return mismatches.length > 0 || check === undefined ? mismatches : check(answer, moment);
    },
  };
}

export async function registerHonestly(stage: Stage, { client }: Actor, user: User = 1): Promise<RegisteredPasskey> {
  const options = await askCreationOptions(stage, user);
  const response = await performed(stage, client.create({ publicKey: options }));
  const body = await prepared('POST /api/passkeys/register', sendRegistration(stage, response, user));
  const { id } = objectOf(body.passkey);
  if (typeof id !== 'number') throw failedAt('POST /api/passkeys/register (preparation)', 'passkey.id, a number', String(id));
  return { credentialId: response.id, id };
}

/** The private side of the credential that answered. */
export async function sourceOf({ authenticator }: Actor, stage: Stage, { id }: AuthenticationResponseJSON): Promise<CredentialSource> {
  const source = await authenticator.store.find(stage.rpId, decodeBase64url(id));
  if (source === undefined) throw failedAt('the authenticator', 'the credential that answered', 'nothing');
  return source;
}
