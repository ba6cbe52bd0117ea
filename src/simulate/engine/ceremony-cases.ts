import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import type { JsonObject } from '../../webauthn/json-value.js';
import type { Case, CaseSpec } from './case.js';
import {
  askCreationOptions,
  askRequestOptions,
  authenticate,
  type BeginEndpoint,
  type BrowserTraits,
  createBrowser,
  performed,
  type RegisteredPasskey,
  registerPasskey,
  sendRegistration,
  sourceOf,
} from './ceremony.js';
import { compareAnswer } from './compare-answer.js';
import type { CaseContext, User } from './context.js';
import { type AuthenticationEdits, editAuthentication, editRegistration, type RegistrationEdits } from './edits.js';
import { type HttpAnswer, PATHS, post } from './http.js';
import type { Mismatch } from './report.js';

/** What the two ceremonies have in common. `Attempt` is the ceremony with the response that is about to be sent. */
interface CeremonySpec<Attempt> extends CaseSpec {
  readonly browser?: BrowserTraits;
  readonly beforeSending?: (attempt: Attempt) => unknown;
  /** Replaces the body. */
  readonly rewrite?: (attempt: Attempt) => JsonObject | Promise<JsonObject>;
  /** Checks an accepted answer. */
  readonly check?: (answer: HttpAnswer, attempt: Attempt) => Mismatch[] | Promise<Mismatch[]>;
}

/** A registration by user 1. */
export interface RegistrationSpec extends CeremonySpec<RegistrationAttempt> {
  readonly edits?: RegistrationEdits;
  /** Further members of the body, e.g. `label`. */
  readonly members?: JsonObject;
  /** Who sends the response; default: user 1, who asked for the options. */
  readonly sentBy?: User;
}

export interface RegistrationAttempt {
  readonly context: CaseContext;
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  readonly body: JsonObject;
}

export function registrationCase(spec: RegistrationSpec): Case {
  const { tags = [], browser: traits, edits = {}, members = {}, beforeSending, rewrite, sentBy, check, ...described } = spec;
  return {
    ...described,
    tags: ['registration', ...tags],
    async run(context) {
      const browser = createBrowser(context, traits);
      const options = await askCreationOptions(context);
      const honest = await performed(context, browser.page.create({ publicKey: options }));
      const body = { ...members, ...editRegistration(honest, edits) };
      const attempt = { context, options, body };
      await beforeSending?.(attempt);
      const answer = await sendRegistration(context, (await rewrite?.(attempt)) ?? body, sentBy);
      const mismatches = compareAnswer(`POST ${PATHS.register}`, spec.expected, answer);
      return mismatches.length > 0 || check === undefined ? mismatches : check(answer, attempt);
    },
  };
}

/** An authentication with a passkey that user 1 registered on the application's own page. */
export interface AuthenticationSpec extends CeremonySpec<AuthenticationAttempt> {
  readonly edits?: AuthenticationEdits;
  /** Which endpoint takes the response; default `login`. */
  readonly endpoint?: 'verify' | 'login';
  /** Which endpoint gives the options; default `verify/options`. */
  readonly from?: BeginEndpoint;
}

export interface AuthenticationAttempt {
  readonly context: CaseContext;
  readonly passkey: RegisteredPasskey;
  readonly options: PublicKeyCredentialRequestOptionsJSON;
  readonly body: JsonObject;
}

export function authenticationCase(spec: AuthenticationSpec): Case {
  const {
    tags = [],
    endpoint = 'login',
    from = 'verify/options',
    browser: traits,
    edits = {},
    beforeSending,
    rewrite,
    check,
    ...described
  } = spec;
  const path = PATHS[endpoint];
  return {
    ...described,
    tags: ['authentication', endpoint, ...(from === 'login/options' ? ['discoverable'] : []), ...tags],
    async run(context) {
      const browser = createBrowser(context, traits);
      const passkey = await registerPasskey(context, browser);
      const options = await askRequestOptions(context, from, passkey.credentialId);
      const honest = await authenticate(context, browser, options);
      const body = await editAuthentication(honest, await sourceOf(browser, context, honest.id), edits);
      const attempt = { context, passkey, options, body };
      await beforeSending?.(attempt);
      const answer = await context.target.send(post(path, (await rewrite?.(attempt)) ?? body));
      const mismatches = compareAnswer(`POST ${path}`, spec.expected, answer);
      return mismatches.length > 0 || check === undefined ? mismatches : check(answer, attempt);
    },
  };
}
