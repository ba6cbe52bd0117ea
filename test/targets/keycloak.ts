// A server of the documented shape of Keycloak's pages and endpoints; it is not Keycloak. It really verifies.
import { randomBytes, randomUUID } from 'node:crypto';
import { asObject } from '../../src/kernel/json-value.js';
import { type Answer, cookie, html, json, type Received, redirect, routes, serve, type Target } from './http.js';
import { deletionPage, errorPage, infoPage, loginPage, passkeyPage, registrationPage } from './keycloak-pages.js';
import { type CeremonySession, createRelyingParty, Refused, type User } from './relying-party.js';

/** One authentication of a browser tab: what the application asked for, and the open ceremonies. */
interface Tab extends CeremonySession {
  readonly id: string;
  /** The browser's `AUTH_SESSION_ID`, which all of its tabs share. */
  readonly browser: string;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly kcAction: string | null;
  /** Of the form that is shown now; each page has a new one. */
  sessionCode: string;
}

const REALM = 'master';
const CLIENT = 'account';
const BASE = `/realms/${REALM}`;
const PASSKEY_ACTION = 'webauthn-register-passwordless';

type Fields = Readonly<Record<string, string | undefined>>;

export function startKeycloak(): Promise<Target> {
  return serve((url) => {
    const relyingParty = createRelyingParty({
      rpId: 'localhost',
      rpName: 'keycloak',
      origins: [url],
      policy: { userVerification: 'required', residentKey: 'required', algorithms: [-7, -257] },
    });
    const passwords = new Map<string, string>();
    const tabs = new Map<string, Tab>();
    const identities = new Map<string, string>();
    const codes = new Map<string, { readonly userId: string; readonly redirectUri: string }>();
    const accessTokens = new Map<string, string>();
    const pathOfCookies = `Path=${BASE}/; HttpOnly; SameSite=Lax`;

    const userOf = (received: Received) => relyingParty.userOf(identities.get(received.cookies.get('KEYCLOAK_IDENTITY') ?? '') ?? '');

    function openTab({ query, cookies }: Received): Tab | undefined {
      const redirectUri = query.get('redirect_uri') ?? '';
      if (query.get('client_id') !== CLIENT || !redirectUri.startsWith(`${url}${BASE}/account/`)) return undefined;
      const browser = cookies.get('AUTH_SESSION_ID') ?? randomId();
      const tab = { id: randomId(), browser, redirectUri, state: query.get('state'), kcAction: query.get('kc_action'), sessionCode: '' };
      tabs.set(tab.id, tab);
      return tab;
    }

    /** Where the form of a page posts to; makes the forms of older pages worthless. */
    function actionOf(tab: Tab, name: string, execution: string): string {
      tab.sessionCode = randomId();
      const query = new URLSearchParams({ session_code: tab.sessionCode, execution, client_id: CLIENT, tab_id: tab.id });
      return `${url}${BASE}/login-actions/${name}?${query}`;
    }

    /** Back to the application. */
    function back(tab: Tab, answer: Readonly<Record<string, string>>, headers: Answer['headers'] = {}): Answer {
      tabs.delete(tab.id);
      const to = new URL(tab.redirectUri);
      for (const [name, value] of Object.entries({ ...(tab.state !== null && { state: tab.state }), ...answer })) {
        to.searchParams.set(name, value);
      }
      return redirect(to.href, headers);
    }

    function codeFor(tab: Tab, user: User): string {
      const code = randomId();
      codes.set(code, { userId: user.id, redirectUri: tab.redirectUri });
      return code;
    }

    function signedIn(tab: Tab, user: User): Answer {
      const identity = randomId();
      identities.set(identity, user.id);
      return back(tab, { code: codeFor(tab, user) }, { 'set-cookie': cookie('KEYCLOAK_IDENTITY', identity, pathOfCookies) });
    }

    async function showLogin(tab: Tab, error?: string): Promise<Answer> {
      const options = await relyingParty.requestOptions(tab);
      return html(200, loginPage(actionOf(tab, 'authenticate', randomUUID()), options, error), {
        'set-cookie': cookie('AUTH_SESSION_ID', tab.browser, pathOfCookies),
      });
    }

    async function showRequiredAction(tab: Tab, user: User): Promise<Answer> {
      if (tab.kcAction === 'delete_account') return html(200, deletionPage(actionOf(tab, 'required-action', 'delete_account')));
      const selection = { residentKey: 'required', requireResidentKey: true, userVerification: 'required' } as const;
      const options = await relyingParty.creationOptions(tab, user, { authenticatorSelection: selection });
      return html(200, passkeyPage(actionOf(tab, 'required-action', PASSKEY_ACTION), options));
    }

    /** Begins an authorization: silent where `prompt=none`, else by a page. */
    async function authorize(received: Received): Promise<Answer> {
      const tab = openTab(received);
      if (tab === undefined) return html(400, infoPage('We are sorry...', 'Invalid parameter: redirect_uri'));
      const user = userOf(received);
      if (received.query.get('prompt') === 'none') {
        return back(tab, user === undefined ? { error: 'login_required' } : { code: codeFor(tab, user) });
      }
      if (user === undefined) return await showLogin(tab);
      if (tab.kcAction === PASSKEY_ACTION || tab.kcAction === 'delete_account') {
        const query = new URLSearchParams({ execution: tab.kcAction, client_id: CLIENT, tab_id: tab.id });
        return redirect(`${url}${BASE}/login-actions/required-action?${query}`, {
          'set-cookie': cookie('AUTH_SESSION_ID', tab.browser, pathOfCookies),
        });
      }
      return back(tab, { code: codeFor(tab, user) });
    }

    /** A form that was posted: of a tab of this browser, from the page that is shown now. */
    function posted(act: (tab: Tab, fields: Fields, received: Received) => Promise<Answer> | Answer) {
      return async (received: Received): Promise<Answer> => {
        const tab = tabOf(received);
        if (tab === undefined || received.query.get('session_code') !== tab.sessionCode) {
          return html(400, infoPage('We are sorry...', 'Action expired. Please start again.'));
        }
        return await act(tab, fieldsOf(received.body), received);
      };
    }

    function tabOf(received: Received): Tab | undefined {
      const tab = tabs.get(received.query.get('tab_id') ?? '');
      return tab?.browser === received.cookies.get('AUTH_SESSION_ID') ? tab : undefined;
    }

    function signUp(tab: Tab, fields: Fields): Answer {
      const { username, email, password } = fields;
      const again = (error: string) => html(200, registrationPage(actionOf(tab, 'registration', randomUUID()), error));
      if (!username || !email || !password || !fields['firstName'] || !fields['lastName']) return again('Please specify this field.');
      if (fields['password-confirm'] !== password) return again("Password confirmation doesn't match.");
      if (relyingParty.findUser(username) !== undefined) return again('Username already exists.');
      const user = relyingParty.addUser(username);
      passwords.set(user.id, password);
      return signedIn(tab, user);
    }

    async function logIn(tab: Tab, fields: Fields): Promise<Answer> {
      const { username, password, credentialId: id = '', ...sent } = fields;
      if (username !== undefined) {
        const user = relyingParty.findUser(username);
        return user !== undefined && passwords.get(user.id) === password
          ? signedIn(tab, user)
          : await showLogin(tab, 'Invalid username or password.');
      }
      try {
        const response = { ...without(sent, 'error'), userHandle: sent['userHandle'] || undefined };
        const credential = { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
        return signedIn(tab, (await relyingParty.authenticate(tab, credential)).user);
      } catch (error) {
        if (error instanceof Refused) return await showLogin(tab, 'Failed to authenticate by the Passkey.');
        throw error;
      }
    }

    async function finishRequiredAction(tab: Tab, fields: Fields, received: Received): Promise<Answer> {
      const user = userOf(received);
      if (user === undefined) return await showLogin(tab);
      if (fields['isSetRetry']) return await showRequiredAction(tab, user);
      if (tab.kcAction === 'delete_account') {
        relyingParty.removeUser(user);
        return html(200, infoPage('Account deleted', 'Your account has been deleted.'));
      }
      const { clientDataJSON, attestationObject, publicKeyCredentialId: id = '', transports } = fields;
      try {
        const response = { clientDataJSON, attestationObject, ...(transports && { transports: transports.split(',') }) };
        await relyingParty.register(tab, { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
        return back(tab, { kc_action_status: 'success', code: codeFor(tab, user) });
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return html(200, errorPage(actionOf(tab, 'required-action', PASSKEY_ACTION), `Failed to register your Passkey. ${error.message}`));
      }
    }

    return routes({
      [`GET ${BASE}/protocol/openid-connect/registrations`](received) {
        const tab = openTab(received);
        if (tab === undefined) return html(400, infoPage('We are sorry...', 'Invalid parameter: redirect_uri'));
        return html(200, registrationPage(actionOf(tab, 'registration', randomUUID())), {
          'set-cookie': cookie('AUTH_SESSION_ID', tab.browser, pathOfCookies),
        });
      },
      [`GET ${BASE}/protocol/openid-connect/auth`]: authorize,
      async [`GET ${BASE}/login-actions/required-action`](received) {
        const tab = tabOf(received);
        const user = userOf(received);
        return tab && user ? await showRequiredAction(tab, user) : html(400, infoPage('We are sorry...', 'Action expired.'));
      },
      [`POST ${BASE}/login-actions/registration`]: posted(signUp),
      [`POST ${BASE}/login-actions/authenticate`]: posted(logIn),
      [`POST ${BASE}/login-actions/required-action`]: posted(finishRequiredAction),
      [`GET ${BASE}/account/`]: () => html(200, infoPage('Account Management', '')),
      [`POST ${BASE}/protocol/openid-connect/token`]({ body }) {
        const { code = '', client_id: client, redirect_uri: redirectUri, grant_type: grant } = fieldsOf(body);
        const known = codes.get(code);
        codes.delete(code);
        if (known === undefined || client !== CLIENT || redirectUri !== known.redirectUri || grant !== 'authorization_code') {
          return json(400, { error: 'invalid_grant', error_description: 'Code not valid' });
        }
        const token = randomId();
        accessTokens.set(token, known.userId);
        return json(200, { access_token: token, id_token: token, token_type: 'Bearer', expires_in: 60, scope: 'openid profile email' });
      },
      [`GET ${BASE}/protocol/openid-connect/logout`](received) {
        const user = relyingParty.userOf(accessTokens.get(received.query.get('id_token_hint') ?? '') ?? '');
        // Without a good hint the page asks first.
        if (user === undefined || user !== userOf(received)) return html(200, infoPage('Logging out', 'Do you want to log out?'));
        identities.delete(received.cookies.get('KEYCLOAK_IDENTITY') ?? '');
        return html(200, infoPage('You are logged out', ''));
      },
      [`GET ${BASE}/protocol/openid-connect/userinfo`]({ headers }) {
        const user = relyingParty.userOf(accessTokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '') ?? '');
        return user === undefined
          ? json(401, { error: 'invalid_token' })
          : json(200, { sub: user.id, preferred_username: user.name, email_verified: false });
      },
    });
  });
}

function randomId(): string {
  return randomBytes(24).toString('base64url');
}

function fieldsOf(body: unknown): Fields {
  return Object.fromEntries(Object.entries(asObject(body)).map(([name, value]) => [name, String(value)]));
}

function without(fields: Fields, left: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== left));
}
