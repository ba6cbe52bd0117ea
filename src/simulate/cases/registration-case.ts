import type { PublicKeyCredentialCreationOptionsJSON } from '../../webauthn/json.js';
import type { HttpAnswer } from '../http.js';
import type { Mismatch } from '../report.js';
import { compareAnswer } from '../scenario.js';
import { type ActorTraits, createActor } from './actor.js';
import type { Case } from './case.js';
import { askCreationOptions, performed, sendRegistration } from './requests.js';
import type { Stage, User } from './stage.js';
import { type JsonObject, type RegistrationEdits, tamperRegistration } from './tamper.js';

/** One registration: who answers, what is changed of the answer, what happens in between. */
export interface RegistrationSpec extends Omit<Case, 'run' | 'tags'> {
  readonly tags?: readonly string[];
  readonly actor?: ActorTraits;
  readonly edits?: RegistrationEdits;
  /** Further members of the body, e.g. `label`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** After the options and before the response. */
  readonly between?: (moment: RegistrationMoment) => unknown;
  /** Makes another body of the one that would be sent. */
  readonly rewrite?: (moment: RegistrationMoment) => JsonObject | Promise<JsonObject>;
  /** Who sends the response; the options were always user 1's. */
  readonly sentBy?: User;
  /** Looks at an accepted answer. */
  readonly check?: (answer: HttpAnswer, moment: RegistrationMoment) => Mismatch[] | Promise<Mismatch[]>;
}

export interface RegistrationMoment {
  readonly stage: Stage;
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  readonly body: JsonObject;
}

export function registrationCase(spec: RegistrationSpec): Case {
  const { tags = [], actor: traits, edits = {}, members = {}, between, rewrite, sentBy, check, ...described } = spec;
  return {
    ...described,
    tags: ['registration', ...tags],
    async run(stage) {
      const actor = createActor(stage, traits);
      const options = await askCreationOptions(stage);
      const honest = await performed(stage, actor.elsewhere.create({ publicKey: options }));
      const body = { ...members, ...tamperRegistration(honest, edits) };
      const moment = { stage, options, body };
      await between?.(moment);
      const answer = await sendRegistration(stage, (await rewrite?.(moment)) ?? body, sentBy);
      const mismatches = compareAnswer('POST /api/passkeys/register', spec.expected, answer);
      return mismatches.length > 0 || check === undefined ? mismatches : check(answer, moment);
    },
  };
}
