import type { JsonObject } from '../../kernel/json-value.js';
import {
  authenticate,
  authorization,
  beginAuthentication,
  beginRegistration,
  createBrowser,
  type PreparedPasskey,
  performed,
  registerPasskey,
} from './ceremony.js';
import type { CaseContext } from './context.js';
import { type HttpRequest, PATHS, post } from './http.js';

/** Our own API: a registration of user 1, ready to be sent. */
export async function registrationToSend(context: CaseContext, members: JsonObject = {}): Promise<HttpRequest> {
  const { ownPage } = createBrowser(context);
  const publicKey = await beginRegistration(context, await context.session(1));
  const response = await performed(context, ownPage.create({ publicKey }));
  return post(PATHS.register, { ...members, ...response }, authorization(context, 1));
}

export interface LoginToSend {
  /** Registered for user 1 before. */
  readonly passkey: PreparedPasskey;
  readonly request: HttpRequest;
}

/** Our own API: a login with a fresh passkey of user 1, ready to be sent. */
export async function loginToSend(context: CaseContext): Promise<LoginToSend> {
  const browser = createBrowser(context);
  const session = await context.session(1);
  const passkey = await registerPasskey(context, session, browser);
  const options = await beginAuthentication(context, session.newVisit(), passkey);
  return { passkey, request: post(PATHS.login, await authenticate(context, browser, options)) };
}
