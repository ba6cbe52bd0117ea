// A server of the shape of ASP.NET Core 10's Blazor template with individual accounts, read in its source; it is not ASP.NET. It really verifies.
import { randomUUID } from 'node:crypto';
import { asObject, type JsonObject } from '../../src/kernel/json-value.js';
import {
  type Answer,
  cookie,
  escapeHtml,
  forget,
  type Handle,
  html,
  json,
  type Received,
  redirect,
  routes,
  serve,
  type Target,
} from './http.js';
import { type CeremonySession, createRelyingParty, Refused, type User } from './relying-party.js';
import { simpleWebAuthn, type Verifier } from './verifier.js';

interface Account {
  readonly user: User;
  readonly password: string;
  confirmed: boolean;
}

const IDENTITY = '.AspNetCore.Identity.Application';
const CEREMONY = 'Identity.TwoFactorUserId';
const ANTIFORGERY = '.AspNetCore.Antiforgery.shop';
/** All that it supports, in its order. */
const ALGORITHMS = [-7, -37, -35, -38, -39, -257, -36, -258, -259];

/**
 * @param namesOrigin whether `ValidateOrigin` names the origin of the server. By default, any origin is good that the
 *   header `Origin` of the request names as well.
 */
export function startAspNet(namesOrigin = false): Promise<Target> {
  return serve((url) => {
    const party = createRelyingParty({
      rpId: 'localhost',
      rpName: 'localhost',
      origins: [],
      policy: { algorithms: ALGORITHMS, userVerification: 'required' },
      verifier: OF_ANY_ORIGIN,
    });
    const accounts = new Map<string, Account>();
    // What cookies hold under data protection: a copy of one stays good when the browser has forgotten it.
    const signedIn = new Map<string, User>();
    const ceremonies = new Map<string, CeremonySession>();

    const userOf = ({ cookies }: Received) => signedIn.get(cookies.get(IDENTITY) ?? '');
    const tokenOf = (received: Received, browser: string) => `${browser}.${userOf(received)?.id ?? ''}`;

    /** A page with a form, whose antiforgery token is good for this browser and user. */
    function page(received: Received, handler: string, body = ''): Answer {
      const browser = received.cookies.get(ANTIFORGERY) ?? randomUUID();
      const token = `<input type="hidden" name="__RequestVerificationToken" value="${tokenOf(received, browser)}" />`;
      const form = `<form method="post"><input type="hidden" name="_handler" value="${handler}" />${token}</form>`;
      return html(200, `${form}${body}`, { 'set-cookie': cookie(ANTIFORGERY, browser) });
    }

    function hasToken(received: Received): boolean {
      const sent = received.headers['requestverificationtoken'] ?? asObject(received.body)['__RequestVerificationToken'];
      return sent === tokenOf(received, received.cookies.get(ANTIFORGERY) ?? '');
    }

    const posted = (handler: string, act: (form: JsonObject, received: Received) => Answer | Promise<Answer>): Handle => {
      return (received) => {
        const form = asObject(received.body);
        return hasToken(received) && form['_handler'] === handler ? act(form, received) : { status: 400, headers: {}, body: '' };
      };
    };

    /** Answers with options, and the ceremony in a cookie. A wrong token throws, as all errors of the server do here. */
    const options = (begin: (ceremony: CeremonySession, received: Received) => Promise<object>): Handle => {
      return async (received) => {
        if (!hasToken(received)) throw new Error('The antiforgery token could not be decrypted.');
        const ceremony: CeremonySession = {};
        const asked = await begin(ceremony, received);
        const id = randomUUID();
        ceremonies.set(id, ceremony);
        return json(200, asked, { 'set-cookie': cookie(CEREMONY, id) });
      };
    };

    /** The user of the ceremony in the cookie, if its answer is good. */
    async function finish(received: Received, kind: keyof CeremonySession, credentialJson: string): Promise<User | undefined> {
      const begun = ceremonies.get(received.cookies.get(CEREMONY) ?? '');
      if (begun?.[kind] === undefined) throw new Error(`No passkey ${kind} is underway.`);
      try {
        const credential: unknown = JSON.parse(credentialJson);
        const { origin, crossOrigin } = readClientData(credential);
        const isValid = namesOrigin ? origin === url : isSameUri(origin, received.headers.origin);
        if (crossOrigin === true || !isValid) return undefined;
        const end = kind === 'registration' ? party.register : party.authenticate;
        return (await end({ ...begun }, credential)).user;
      } catch (error) {
        if (error instanceof Refused || error instanceof SyntaxError) return undefined;
        throw error;
      }
    }

    return routes({
      'GET /Account/Register': (received) => page(received, 'register'),
      'POST /Account/Register': posted('register', (form) => {
        const [name, password] = [String(form['Input.Email']), String(form['Input.Password'])];
        accounts.set(name, { user: party.addUser(name), password, confirmed: false });
        return redirect(`${url}/Account/RegisterConfirmation?email=${encodeURIComponent(name)}`);
      }),
      'GET /Account/RegisterConfirmation': ({ query }) =>
        html(
          200,
          `<a href="${url}/Account/ConfirmEmail?email=${encodeURIComponent(query.get('email') ?? '')}">Click here to confirm your account</a>`,
        ),
      'GET /Account/ConfirmEmail'({ query }) {
        const account = accounts.get(query.get('email') ?? '');
        if (account !== undefined) account.confirmed = true;
        return html(200, 'Thank you for confirming your email.');
      },
      'GET /Account/Login': (received) => page(received, 'login'),
      'POST /Account/Login': posted('login', async (form, received) => {
        const { 'Input.Email': name, 'Input.Password': password, 'Input.Passkey.CredentialJson': credential } = form;
        const account = accounts.get(String(name));
        const byPassword = account?.confirmed === true && account.password === password ? account.user : undefined;
        const user = credential ? await finish(received, 'authentication', String(credential)) : byPassword;
        if (user === undefined) return page(received, 'login', 'Error: Invalid login attempt.');
        const id = randomUUID();
        signedIn.set(id, user);
        return redirect(`${url}/`, { 'set-cookie': [cookie(IDENTITY, id), forget(CEREMONY)] });
      }),
      'POST /Account/PasskeyCreationOptions': options((ceremony, received) => {
        const user = userOf(received);
        if (user === undefined) throw new Error('Unable to load user.');
        return party.creationOptions(ceremony, user);
      }),
      'POST /Account/PasskeyRequestOptions': options((ceremony, { query }) => {
        const user = party.findUser(query.get('username') ?? '');
        return party.requestOptions(ceremony, user && { user });
      }),
      'GET /Account/Manage'(received) {
        const user = userOf(received);
        if (user === undefined) return redirect(`${url}/Account/Login?ReturnUrl=%2FAccount%2FManage`);
        return page(received, 'profile', `<input type="text" value="${escapeHtml(user.name)}" id="username" disabled />`);
      },
      'GET /Account/Manage/Passkeys': (received) => page(received, 'add-passkey'),
      'POST /Account/Manage/Passkeys': posted('add-passkey', async (form, received) => {
        const user = await finish(received, 'registration', String(form['Input.CredentialJson']));
        return redirect(`${url}/Account/Manage/${user ? 'RenamePasskey/id' : 'Passkeys'}`, { 'set-cookie': forget(CEREMONY) });
      }),
    });
  });
}

/** Leaves origins to its caller. */
const OF_ANY_ORIGIN: Verifier = {
  registration: (response, expected) =>
    simpleWebAuthn.registration(response, { ...expected, origins: [String(readClientData(response).origin)] }),
  authentication: (response, expected) =>
    simpleWebAuthn.authentication(response, { ...expected, origins: [String(readClientData(response).origin)] }),
};

function readClientData(credential: unknown): JsonObject {
  const { clientDataJSON } = asObject(asObject(credential)['response']);
  return asObject(JSON.parse(Buffer.from(String(clientDataJSON), 'base64url').toString()));
}

const isSameUri = (given: unknown, header = '') =>
  typeof given === 'string' && URL.canParse(given) && URL.canParse(header) && new URL(given).href === new URL(header).href;
