import { createHash } from 'node:crypto';
import * as Type from 'typebox';
import type { Accounts } from '../../accounts/accounts.js';
import { findOrAdd } from '../../accounts/owners.js';
import type { Owner } from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import type { OperationContext } from '../../kernel/events.js';
import { MAX_TEXT_LENGTH } from '../../kernel/limits.js';
import { credentialDescriptors } from '../../relying-party/operation.js';
import { rpIdFromUrl } from '../../webauthn/rp-id.js';
import { ceremonyClient, operationContext } from '../ceremony-input.js';
import { type CookieKind, cookieName, cookieValues, setCookie } from '../cookies.js';
import type { App, AppOptions } from '../options.js';
import { makeProblem, type ProblemListener, toPasskeyError } from '../problem.js';
import { AssertionBody, RegisterBody } from '../schemas/ceremony.js';
import { AttestationConveyance, Extensions, RequirementLevel, Text } from '../schemas/text.js';

const RP_NAME = 'passkey';
const OK = { status: 'ok', errorMessage: '' } as const;

/**
 * Cookie that names the owner of the registration in progress. The cookie grants nothing, since the challenge is bound to the same owner.
 */
const USER_COOKIE: CookieKind = { name: 'passkey_fido_user', sameSite: 'Lax', path: '/attestation' };

/**
 * Adds the server API that FIDO's conformance documents describe ("Transport Binding Profile"). It uses the same relying party and store.
 * Its callers are not authenticated, so it is only for `--fido-api` in development mode.
 */
export async function addFidoRoutes(app: App, options: AppOptions, onProblem: ProblemListener | undefined): Promise<void> {
  await app.register(async (fido: App) => {
    answerErrorsAsFailed(fido, onProblem);
    addAttestationRoutes(fido, options);
    addAssertionRoutes(fido, options);
  });
}

/** Responds to every failure in the form that FIDO's profile requires: status 4xx (or 5xx), and a body with `status` and `errorMessage`. */
function answerErrorsAsFailed(fido: App, onProblem: ProblemListener | undefined): void {
  fido.setErrorHandler((thrown, request, reply) => {
    onProblem?.(request, makeProblem(thrown, request, { production: false }));
    const error = toPasskeyError(thrown);
    const unforeseen = error.status === 500;
    if (error.status >= 500) {
      request.log.error({ err: error.cause ?? error }, 'request failed');
    }
    const errorMessage = unforeseen ? 'The server failed to handle the request; see its log.' : `${error.code}: ${error.message}`;
    return reply.code(error.status).send({ status: 'failed', errorMessage });
  });
}

function addAttestationRoutes(fido: App, { relyingParty, accounts, settings }: AppOptions): void {
  const users = fidoUsers(accounts);

  fido.post('/attestation/options', { schema: { hide: true, body: AttestationOptionsBody } }, async (request, reply) => {
    const { username, displayName, authenticatorSelection, attestation, extensions } = request.body;
    const owner = await users.findOrAdd(username, operationContext(request));
    const creation = await relyingParty.beginRegistration({
      user: { owner: { type: owner.type, id: owner.id }, id: await accounts.userHandleOf(owner), name: username, displayName },
      rpId: rpIdFromUrl(settings.origin),
      rpName: RP_NAME,
      origins: [settings.origin, ...settings.origins],
      client: ceremonyClient(request, owner),
      options: {
        attestation: attestation ?? 'none',
        ...(authenticatorSelection && { authenticatorSelection }),
        ...(extensions && { extensions }),
      },
      context: operationContext(request),
    });
    setCookie(reply, USER_COOKIE, { value: String(owner.id), settings });
    return { ...OK, excludeCredentials: [], ...creation };
  });

  fido.post('/attestation/result', { schema: { hide: true, body: AttestationResultBody } }, async (request) => {
    const id = cookieValues(request, USER_COOKIE, settings)
      .map(Number)
      .find((each) => Number.isSafeInteger(each) && each >= 1);
    if (id === undefined) {
      throw new PasskeyError(
        'challenge_unknown',
        `Expected the cookie ${cookieName(USER_COOKIE, settings)} that /attestation/options set; it is missing. Keep cookies between the two calls; fetch() from another origin needs credentials: 'include'.`,
      );
    }
    const { getClientExtensionResults, ...response } = request.body;
    await relyingParty.register({
      owner: { type: FIDO_OWNER_TYPE, id },
      response: { rawId: response.id, clientExtensionResults: getClientExtensionResults, ...response },
      context: operationContext(request),
    });
    return OK;
  });
}

function addAssertionRoutes(fido: App, { relyingParty, accounts, settings }: AppOptions): void {
  const users = fidoUsers(accounts);

  fido.post('/assertion/options', { schema: { hide: true, body: AssertionOptionsBody } }, async (request) => {
    const { username, userVerification, extensions } = request.body;
    const rpId = rpIdFromUrl(settings.origin);
    const allowCredentials = username ? await descriptorsOf(username, rpId) : [];
    const requested = await relyingParty.beginAuthentication({
      rpId,
      origins: [settings.origin, ...settings.origins],
      client: ceremonyClient(request),
      options: { allowCredentials, ...(userVerification && { userVerification }), ...(extensions && { extensions }) },
      context: operationContext(request),
    });
    return { ...OK, ...requested };
  });

  fido.post('/assertion/result', { schema: { hide: true, body: AssertionResultBody } }, async (request) => {
    const { getClientExtensionResults, response, ...credential } = request.body;
    await relyingParty.authenticate({
      response: {
        rawId: credential.id,
        clientExtensionResults: getClientExtensionResults,
        ...credential,
        response: { ...response, userHandle: response.userHandle || null },
      },
      context: operationContext(request),
    });
    return OK;
  });

  async function descriptorsOf(username: string, rpId: string) {
    const owner = await users.find(username);
    const live = owner === undefined ? [] : await relyingParty.list({ owner: { type: owner.type, id: owner.id }, rpId });
    if (live.length === 0) {
      throw new PasskeyError('passkey_not_found', `Expected a user with a live passkey; "${username}" has none. Register one first.`);
    }
    return credentialDescriptors(live);
  }
}

/**
 * Owner type of the users that the FIDO server API adds. The API has no access to other accounts, since its callers are not authenticated.
 */
const FIDO_OWNER_TYPE = 'FIDO';

interface FidoUsers {
  find(username: string): Promise<Owner | undefined>;
  findOrAdd(username: string, context: OperationContext): Promise<Owner>;
}

/** Makes functions that find or add users of the FIDO server API by their `username`. */
function fidoUsers(accounts: Accounts): FidoUsers {
  const find = async (username: string) => {
    const [owner] = await accounts.listOwners({ type: FIDO_OWNER_TYPE, email: makeEmail(username) });
    return owner;
  };
  return {
    find,
    findOrAdd: (username, context) =>
      findOrAdd(
        () => find(username),
        // As with development sign-in: passkeys of `FIDO:1` in one project must not replace those in another.
        () => accounts.addOwner({ type: FIDO_OWNER_TYPE, email: makeEmail(username), name: username, userHandle: 'random' }, context),
      ),
  };
}

/**
 * Derives an e-mail address from a user name. User names are case-sensitive free text, while e-mail addresses ignore case. The address ends
 * in `.invalid`, which no real domain does (RFC 2606).
 */
function makeEmail(username: string): string {
  const plain = /^[a-z0-9._-]{1,32}$/.test(username);
  return `${plain ? username : createHash('sha256').update(username, 'utf8').digest('hex')}@fido.invalid`;
}

/** Schemas for the bodies of the FIDO server API: the "Transport Binding Profile" of FIDO's server requirements. */

/** Schema of bytes in base64url. The conformance documents allow nothing else; the rest of our API also accepts base64. */
const Base64url = Type.String({ pattern: '^[A-Za-z0-9_-]+$' });
/**
 * Schema of the user handle in a response. The FIDO Alliance's example sends an empty string if the authenticator returned no user handle.
 */
const UserHandle = Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: '^[A-Za-z0-9_-]*$' });

const AttestationOptionsBody = Type.Object({
  username: Text({ minLength: 1, maxLength: MAX_TEXT_LENGTH }),
  displayName: Text({ minLength: 1, maxLength: MAX_TEXT_LENGTH }),
  authenticatorSelection: Type.Optional(
    Type.Object({
      authenticatorAttachment: Type.Optional(Type.String()),
      residentKey: Type.Optional(Type.String()),
      requireResidentKey: Type.Optional(Type.Boolean()),
      userVerification: Type.Optional(RequirementLevel),
    }),
  ),
  attestation: Type.Optional(AttestationConveyance),
  extensions: Type.Optional(Extensions),
});

const AssertionOptionsBody = Type.Object({
  username: Type.Optional(Text({ maxLength: MAX_TEXT_LENGTH })),
  userVerification: Type.Optional(RequirementLevel),
  extensions: Type.Optional(Extensions),
});

/** Members of a ServerPublicKeyCredential. FIDO's documents define no `rawId` in it, but browsers and the conformance tools send one. */
const credential = { id: Base64url, rawId: Type.Optional(Base64url), getClientExtensionResults: Type.Optional(Extensions) };
const { label: _label, ...registration } = RegisterBody.properties;

const AttestationResultBody = Type.Object({
  ...registration,
  ...credential,
  response: Type.Object({ ...registration.response.properties, clientDataJSON: Base64url, attestationObject: Base64url }),
});

const AssertionResultBody = Type.Object({
  ...AssertionBody.properties,
  ...credential,
  response: Type.Object({
    clientDataJSON: Base64url,
    authenticatorData: Base64url,
    signature: Base64url,
    userHandle: Type.Optional(UserHandle),
  }),
});
