import type { FastifyRequest } from 'fastify';
import type { Accounts } from '../accounts/accounts.js';
import type { Owner } from '../accounts/ports.js';
import { PasskeyError } from '../errors.js';
import type { OperationContext } from '../kernel/events.js';
import type { OwnerRef } from '../kernel/owner.js';
import type { BeginRegistrationInput } from '../relying-party/begin-registration.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import { isLoopbackAddress } from '../webauthn/loopback.js';
import { isIpAddress, rpIdFromUrl } from '../webauthn/rp-id.js';
import { knownCaller } from './access.js';
import { nameClient, readAddress } from './client-address.js';
import { originNotAllowed } from './origins.js';
import type { ServerSettings } from './settings.js';
import { fieldErrors } from './validation.js';

// What an operation of the relying party is given, as a request tells it.

/** The header field with which the test page marks its requests. */
const PAGE_MARK = 'x-passkey-page';

const requests = new WeakMap<OperationContext, FastifyRequest>();

/** Finds the HTTP request that started an operation, from the operation's context. Undefined if no HTTP request started it. */
export function findRequest(context: OperationContext): FastifyRequest | undefined {
  return requests.get(context);
}

/** Describes where an operation comes from, for listeners. */
export function operationContext(request: FastifyRequest): OperationContext {
  const userAgent = request.headers['user-agent'];
  const { owner } = knownCaller(request) ?? {};
  const context: OperationContext = {
    requestId: request.id,
    address: readAddress(request),
    via: request.routeOptions.url ?? request.method,
    ...(userAgent !== undefined && { userAgent: userAgent.slice(0, 512) }),
    ...(owner && { user: { type: owner.type, id: owner.id, email: owner.email } }),
    ...(PAGE_MARK in request.headers && { page: true }),
  };
  requests.set(context, request);
  return context;
}

/**
 * Names the client to which a new challenge is attributed: the owner if known, otherwise the client's address. When there are too many
 * challenges, the oldest challenges of the same client are removed first.
 */
export function ceremonyClient(request: Pick<FastifyRequest, 'ip' | 'socket'>, owner?: OwnerRef): string {
  return owner === undefined ? nameClient(request) : `${owner.type}:${owner.id}`;
}

/**
 * Makes the user account of a registration (WebAuthn L3 §5.4.3). It has the owner's e-mail address and name, and a user handle that never
 * changes.
 *
 * @throws PasskeyError `owner_not_found`
 */
export async function makeUserEntity(owner: Owner, accounts: Accounts): Promise<BeginRegistrationInput['user']> {
  return {
    owner: { type: owner.type, id: owner.id },
    id: await accounts.userHandleOf(owner),
    name: owner.email,
    displayName: owner.name,
  };
}

/**
 * Decodes a credential ID that matches its schema.
 *
 * @throws PasskeyError `passkey_not_found` if no base64 encoder would produce `text`, which therefore cannot be a stored ID.
 */
export function decodeCredentialId(text: string): Uint8Array {
  const decoded = decodeBase64(text);
  if (decoded === undefined || !decoded.canonical) {
    throw new PasskeyError(
      'passkey_not_found',
      'The credential ID ends in bits that do not fill a byte, so no stored passkey has it. Send the whole ID.',
    );
  }
  return decoded.bytes;
}

/** RP ID and origin of one ceremony, derived from the URL of the application. */
interface CeremonyScope {
  readonly rpId: string;
  readonly origin: string;
}

type OriginSettings = Pick<ServerSettings, 'mode' | 'origin' | 'origins'>;

/**
 * Derives the RP ID and the expected origin of a ceremony from the application's URL. In development mode, the origin of the test page is
 * always allowed.
 *
 * @throws PasskeyError `validation_failed` if the host is an IP address that cannot be an RP ID; `origin_not_allowed` if `--origin` does
 * not include the URL's origin.
 */
export function scopeOfAppUrl(appUrl: string, settings: OriginSettings, log: FastifyRequest['log']): CeremonyScope {
  const rpId = rpIdFromUrl(appUrl);
  const { origin, port } = new URL(appUrl);
  if (isIpAddress(rpId)) {
    if (settings.mode === 'production' || !isLoopbackAddress(rpId)) {
      throw fieldErrors([
        { pointer: '/app_url', detail: `has the IP address ${rpId} as host, which browsers refuse as RP ID; use a domain name` },
      ]);
    }
    const localhost = `${new URL(appUrl).protocol}//localhost${port === '' ? '' : `:${port}`}`;
    log.warn(`app_url ${origin} has an IP address as host, which browsers refuse as RP ID: open the application at ${localhost} instead`);
  }
  const isOwnPage = settings.mode === 'development' && origin === settings.origin;
  if (settings.origins.length > 0 && !settings.origins.includes(origin) && !isOwnPage) {
    throw originNotAllowed(`app_url has the origin ${origin}; this server accepts ${settings.origins.join(', ')} (--origin).`);
  }
  return { rpId, origin };
}

/**
 * Derives the RP ID and the expected origin of a login without `app_url`. If the calling page has the server's own origin or one from
 * `--origin`, uses the page's origin. Otherwise uses the only origin of `--origin`; if there are several or none, the server's own origin.
 */
export function scopeOfRequest(request: FastifyRequest, settings: OriginSettings): CeremonyScope {
  const own = [settings.origin, ...settings.origins].find((each) => each === request.headers.origin);
  const [only = settings.origin, ...others] = settings.origins;
  const origin = own ?? (others.length === 0 ? only : settings.origin);
  return { rpId: rpIdFromUrl(origin), origin };
}
