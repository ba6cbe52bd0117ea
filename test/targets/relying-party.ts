import { randomBytes } from 'node:crypto';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  type UserVerificationRequirement,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import { isObject } from '../../src/kernel/json-value.js';
import { simpleWebAuthn, type Verifier } from './verifier.js';

/**
 * The relying party that most targets of the test tree stand on: users, passkeys and challenges in memory, around a
 * library that verifies, used as a careful reader of its documentation uses it. What the library leaves out stays out.
 */
export interface RelyingParty {
  addUser(name: string, displayName?: string): User;
  findUser(name: string): User | undefined;
  userOf(id: string): User | undefined;
  /** Removes a user and the user's passkeys. */
  removeUser(user: User): void;
  passkeysOf(user: User): readonly Passkey[];
  removePasskey(passkey: Passkey): void;
  creationOptions(session: CeremonySession, user: User, asked?: AskedOfRegistration): Promise<PublicKeyCredentialCreationOptionsJSON>;
  /** Answers the registration that was begun in this session. Throws {@link Refused}. */
  register(session: CeremonySession, credential: unknown): Promise<Registered>;
  requestOptions(session: CeremonySession, asked?: AskedOfAuthentication): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /** Answers the authentication that was begun in this session. Throws {@link Refused}. */
  authenticate(session: CeremonySession, credential: unknown): Promise<Registered>;
}

export interface Settings {
  readonly rpId: string;
  readonly rpName: string;
  readonly origins: readonly string[];
  readonly policy?: Partial<Policy>;
  readonly verifier?: Verifier;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface Policy {
  readonly algorithms: readonly number[];
  readonly userVerification: UserVerificationRequirement;
  readonly residentKey: 'required' | 'preferred' | 'discouraged';
  readonly attestation: 'none' | 'direct' | 'enterprise';
  /** Milliseconds that a challenge is good for. */
  readonly lifetime: number;
}

type CreationInput = Parameters<typeof generateRegistrationOptions>[0];

export interface AskedOfRegistration {
  readonly attestation?: Policy['attestation'];
  readonly authenticatorSelection?: NonNullable<CreationInput['authenticatorSelection']>;
  readonly extensions?: NonNullable<CreationInput['extensions']>;
}

export interface AskedOfAuthentication {
  /** Whose passkeys are allowed; left out, any discoverable one is. */
  readonly user?: User;
  readonly userVerification?: UserVerificationRequirement;
  readonly extensions?: NonNullable<Parameters<typeof generateAuthenticationOptions>[0]['extensions']>;
}

export interface User {
  /** base64url of the user handle. */
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
}

export interface Passkey {
  credential: WebAuthnCredential;
  readonly userId: string;
}

export interface Registered {
  readonly user: User;
  readonly passkey: Passkey;
}

/** What was begun in a browser session: one ceremony of each type, taken by its answer, good or bad. */
export interface CeremonySession {
  registration?: Begun | undefined;
  authentication?: Begun | undefined;
}

interface Begun {
  readonly challenge: string;
  readonly userVerification: UserVerificationRequirement;
  /** The user who is named; undefined for an authentication with a discoverable credential. */
  readonly userId: string | undefined;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The response is refused, or there is nothing for it to answer. */
export class Refused extends Error {
  /** What was signed was read and found good, but the signature does not verify. */
  readonly unverified: boolean;

  constructor(message: string, { unverified = false, ...options }: ErrorOptions & { readonly unverified?: boolean } = {}) {
    super(message, options);
    this.unverified = unverified;
  }
}

export const DEFAULT_POLICY: Policy = {
  algorithms: [-8, -7, -257],
  userVerification: 'preferred',
  residentKey: 'preferred',
  attestation: 'none',
  lifetime: 300_000,
};

export function createRelyingParty({
  rpId,
  rpName,
  origins,
  policy: chosen = {},
  verifier = simpleWebAuthn,
  now = Date.now,
}: Settings): RelyingParty {
  const policy = { ...DEFAULT_POLICY, ...chosen };
  const users = new Map<string, User>();
  const passkeys = new Map<string, Passkey>();
  const expectedIn = ({ challenge, userVerification }: Begun) => ({
    challenge,
    origins,
    rpId,
    requireUserVerification: userVerification === 'required',
  });
  const passkeysOf = (user: User) => [...passkeys.values()].filter((passkey) => passkey.userId === user.id);
  const begin = (challenge: string, userVerification: UserVerificationRequirement, userId: string | undefined): Begun => ({
    challenge,
    userVerification,
    userId,
    expires: now() + policy.lifetime,
  });

  function take(session: CeremonySession, ceremony: keyof CeremonySession): Begun {
    const begun = session[ceremony];
    session[ceremony] = undefined;
    if (begun === undefined) throw new Refused(`No ${ceremony} was begun in this session.`);
    if (begun.expires <= now()) throw new Refused('The challenge has expired.');
    return begun;
  }

  return {
    addUser(name, displayName = name) {
      const user = { id: randomBytes(16).toString('base64url'), name, displayName };
      users.set(user.id, user);
      return user;
    },
    findUser: (name) => [...users.values()].find((user) => user.name === name),
    userOf: (id) => users.get(id),
    removeUser(user) {
      for (const { credential } of passkeysOf(user)) passkeys.delete(credential.id);
      users.delete(user.id);
    },
    passkeysOf,
    removePasskey: ({ credential }) => void passkeys.delete(credential.id),

    async creationOptions(session, user, { attestation = policy.attestation, authenticatorSelection, extensions } = {}) {
      const selection = { ...(authenticatorSelection ?? { residentKey: policy.residentKey, userVerification: policy.userVerification }) };
      const options = await generateRegistrationOptions({
        rpID: rpId,
        rpName,
        userID: Uint8Array.from(Buffer.from(user.id, 'base64url')),
        userName: user.name,
        userDisplayName: user.displayName,
        attestationType: attestation,
        excludeCredentials: descriptors(passkeysOf(user)),
        authenticatorSelection: selection,
        supportedAlgorithmIDs: [...policy.algorithms],
        ...(extensions && { extensions }),
      });
      session.registration = begin(options.challenge, selection.userVerification ?? policy.userVerification, user.id);
      return options;
    },

    async register(session, response) {
      const begun = take(session, 'registration');
      if (!isResponse<RegistrationResponseJSON>(response, 'attestationObject')) throw new Refused('That is no registration response.');
      const credential = await verifying(() => verifier.registration(response, { ...expectedIn(begun), algorithms: policy.algorithms }));
      const user = begun.userId === undefined ? undefined : users.get(begun.userId);
      if (credential === undefined) throw new Refused('The attestation does not verify.', { unverified: true });
      if (user === undefined) throw new Refused('The user is gone.');
      if (passkeys.has(credential.id)) throw new Refused('The credential is registered already.');
      const passkey = { credential, userId: user.id };
      passkeys.set(credential.id, passkey);
      return { user, passkey };
    },

    async requestOptions(session, { user, userVerification = policy.userVerification, extensions } = {}) {
      const options = await generateAuthenticationOptions({
        rpID: rpId,
        userVerification,
        ...(user && { allowCredentials: descriptors(passkeysOf(user)) }),
        ...(extensions && { extensions }),
      });
      session.authentication = begin(options.challenge, userVerification, user?.id);
      return options;
    },

    async authenticate(session, response) {
      const begun = take(session, 'authentication');
      if (!isResponse<AuthenticationResponseJSON>(response, 'signature')) throw new Refused('That is no authentication response.');
      const passkey = passkeys.get(response.id);
      const user = passkey && users.get(passkey.userId);
      if (passkey === undefined || user === undefined) throw new Refused('The passkey is unknown.');
      if (begun.userId !== undefined && begun.userId !== user.id) throw new Refused('The passkey belongs to another user.');
      const { userHandle } = response.response;
      // Discoverable credentials send one; others may leave it out where the user was named.
      if (userHandle ? userHandle !== user.id : begun.userId === undefined) throw new Refused('That is not the user of the passkey.');
      const { credential } = passkey;
      const counter = await verifying(() => verifier.authentication(response, { ...expectedIn(begun), credential, userHandle: user.id }));
      if (counter === undefined) throw new Refused('The signature does not verify.', { unverified: true });
      passkey.credential = { ...credential, counter };
      return { user, passkey };
    },
  };
}

function descriptors(passkeys: readonly Passkey[]): { id: string; transports?: string[] }[] {
  return passkeys.map(({ credential: { id, transports } }) => ({ id, ...(transports && { transports }) }));
}

/** A verifying library throws, without a code, for most of what it refuses. */
async function verifying<Result>(verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch (error) {
    throw new Refused(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Whether there is enough of a response for the library to read; it says itself what else is wrong. */
function isResponse<Response extends { id: string; response: object }>(
  value: unknown,
  member: keyof Response['response'],
): value is Response {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    isObject(value['response']) &&
    typeof value['response'][String(member)] === 'string'
  );
}
