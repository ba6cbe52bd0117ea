import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  type UserVerificationRequirement,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import { randomBytes } from 'node:crypto';
import { isObject } from '../../src/webauthn/json-value.js';

/**
 * The relying party that most targets of the test tree stand on: @simplewebauthn/server as a careful reader of its
 * documentation uses it. It judges nothing that the library or its documentation leaves out.
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
export class Refused extends Error {}

export const DEFAULT_POLICY: Policy = {
  algorithms: [-8, -7, -257],
  userVerification: 'preferred',
  residentKey: 'preferred',
  attestation: 'none',
  lifetime: 300_000,
};

export function createRelyingParty({ rpId, rpName, origins, policy: chosen = {}, now = Date.now }: Settings): RelyingParty {
  const policy = { ...DEFAULT_POLICY, ...chosen };
  const users = new Map<string, User>();
  const passkeys = new Map<string, Passkey>();
  const expected = { expectedOrigin: [...origins], expectedRPID: rpId };
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
      const selection = { residentKey: policy.residentKey, userVerification: policy.userVerification, ...authenticatorSelection };
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
      session.registration = begin(options.challenge, selection.userVerification, user.id);
      return options;
    },

    async register(session, response) {
      const { challenge, userVerification, userId = '' } = take(session, 'registration');
      if (!isResponse<RegistrationResponseJSON>(response, 'attestationObject')) throw new Refused('That is no registration response.');
      const { registrationInfo } = await verifying(() =>
        verifyRegistrationResponse({
          ...expected,
          response,
          expectedChallenge: challenge,
          requireUserVerification: userVerification === 'required',
          supportedAlgorithmIDs: [...policy.algorithms],
        }),
      );
      const user = users.get(userId);
      if (registrationInfo === undefined) throw new Refused('The attestation does not verify.');
      if (user === undefined) throw new Refused('The user is gone.');
      const { credential } = registrationInfo;
      if (passkeys.has(credential.id)) throw new Refused('The credential is registered already.');
      const passkey = { credential, userId };
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
      const { challenge, userVerification, userId } = take(session, 'authentication');
      if (!isResponse<AuthenticationResponseJSON>(response, 'signature')) throw new Refused('That is no authentication response.');
      const passkey = passkeys.get(response.id);
      const user = passkey && users.get(passkey.userId);
      if (passkey === undefined || user === undefined) throw new Refused('The passkey is unknown.');
      if (userId !== undefined && userId !== user.id) throw new Refused('The passkey belongs to another user.');
      const { userHandle } = response.response;
      // Sent by every discoverable credential; security keys leave it out where the user was named.
      if (userHandle ? userHandle !== user.id : userId === undefined) throw new Refused('The user handle is not that of the passkey.');
      const { verified, authenticationInfo } = await verifying(() =>
        verifyAuthenticationResponse({
          ...expected,
          response,
          expectedChallenge: challenge,
          credential: passkey.credential,
          requireUserVerification: userVerification === 'required',
        }),
      );
      if (!verified) throw new Refused('The signature does not verify.');
      passkey.credential = { ...passkey.credential, counter: authenticationInfo.newCounter };
      return { user, passkey };
    },
  };
}

function descriptors(passkeys: readonly Passkey[]): { id: string; transports?: string[] }[] {
  return passkeys.map(({ credential: { id, transports } }) => ({ id, ...(transports && { transports }) }));
}

/** The library throws, without a code, for all that it refuses but a bad signature. */
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
