import type { FastifyRequest } from 'fastify';
import { findOrAdd } from '../../accounts/owners.js';
import type { Owner } from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import type { OperationContext } from '../../kernel/events.js';
import { formatTimestamp } from '../../kernel/wording.js';
import { rpIdFromUrl } from '../../webauthn/rp-id.js';
import { TEST_PAGE } from '../access.js';
import { operationContext } from '../ceremony-input.js';
import { SESSION_COOKIE, setCookie } from '../cookies.js';
import { type DevelopmentGuard, developmentRefusal, KEY_COOKIE, refuseOtherPages } from '../development-guard.js';
import type { App, AppOptions } from '../options.js';
import { type DevState, type DevUser, KeyBody, SignInBody } from '../schemas/development.js';
import { VERIFIABLE } from '../verifiable.js';

const DEFAULT_EMAIL = 'test@example.com';

/** Adds `GET /dev/state`, `POST /dev/sign-in` and, with `--dev-sign-in key`, `POST /dev/key`. */
export function addDevSignInRoutes(app: App, { relyingParty, accounts, settings, site, now }: AppOptions, guard: DevelopmentGuard): void {
  const ownPage = async (request: FastifyRequest) => refuseOtherPages(request, settings);
  app.get('/dev/state', { onRequest: ownPage, schema: { hide: true } }, async (request): Promise<DevState> => {
    const signInReason = developmentRefusal(request, settings) ?? null;
    const caller = await guard.identify(request);
    const { authAction, origin, origins, mode } = settings;
    return {
      mode,
      origin,
      origins,
      rpId: rpIdFromUrl(origin),
      authAction: typeof authAction === 'string' ? authAction : authAction.name,
      ownerType: accounts.ownerType,
      policy: relyingParty.policy,
      verifiable: VERIFIABLE,
      signIn: signInReason === null,
      signInReason,
      site: site === undefined ? null : { url: site.url, persona: site.persona, tamper: site.tamper },
      user: caller === undefined ? null : devUser(caller.owner),
      // The users are listed only to those who may sign in as any of them.
      users: signInReason === null ? (await accounts.listOwners()).map(devUser) : [],
      passkeys: signInReason === null ? await relyingParty.count() : 0,
    };
  });

  const { devSignIn } = settings;
  if (typeof devSignIn !== 'string') {
    app.post('/dev/key', { onRequest: guard.localWithoutKey, schema: { hide: true, body: KeyBody } }, async (request, reply) => {
      const cookie = devSignIn.exchange(request.body.key);
      if (cookie === undefined) {
        throw new PasskeyError(
          'development_only',
          'This is not the key of this start of the server. Open the URL that `passkey serve` printed last.',
        );
      }
      setCookie(reply, KEY_COOKIE, { value: cookie, settings });
      return reply.code(204).send();
    });
  }

  // Not for bearer tokens: a token of one user would become that of any other.
  app.post('/dev/sign-in', { onRequest: guard.local, schema: { hide: true, body: SignInBody } }, async (request, reply) => {
    const owner = await findOrAddOwner(request.body, operationContext(request));
    const expiresAt = now() + settings.sessionTtl;
    await guard.endReplaced(request, operationContext(request));
    const { secret } = await accounts.createSession({ owner, expiresAt }, operationContext(request));
    const { token } = await accounts.createToken({ owner, expiresAt, label: TEST_PAGE }, operationContext(request));
    setCookie(reply, SESSION_COOKIE, { value: secret, maxAge: settings.sessionTtl, settings });
    return { user: devUser(owner), token, expires_at: formatTimestamp(expiresAt) };
  });

  async function findOrAddOwner(
    { email, name, owner }: { email?: string; name?: string; owner?: string },
    context: OperationContext,
  ): Promise<Owner> {
    if (owner !== undefined) {
      return await accounts.resolveUser(owner);
    }
    const wanted = email ?? DEFAULT_EMAIL;
    return await findOrAdd(
      () => findByEmail(wanted),
      // Every project on localhost has a User:1, and keychains replace a passkey of the same rp.id and user.id.
      () => accounts.addOwner({ email: wanted, name: name ?? wanted.split('@')[0] ?? wanted, userHandle: 'random' }, context),
    );
  }

  async function findByEmail(wanted: string): Promise<Owner | undefined> {
    const owners = await accounts.listOwners({ email: wanted });
    const [known] = owners;
    if (owners.length > 1) {
      const names = owners.map((each) => `${each.type}:${each.id}`).join(', ');
      throw new PasskeyError('ambiguous_user', `${wanted} is the e-mail of ${names}. Send "owner" with one of them.`, {
        errors: [{ pointer: '/email', detail: `is the e-mail of several users: ${names}; send owner instead` }],
      });
    }
    return known;
  }
}

function devUser({ type, id, email, name }: Owner): DevUser {
  return { type, id, email, name };
}
