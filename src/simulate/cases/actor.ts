import { type AuthenticatorTraits, createAuthenticator, type SoftwareAuthenticator } from '../../authenticator/authenticator.js';
import { scriptedUser, type UserOutcome } from '../../authenticator/user-verifier.js';
import { type Client, createClient } from '../../client/client.js';
import type { Stage } from './stage.js';

/** What somebody at a browser is like, as far as it differs from an honest user of an ordinary one. */
export interface ActorTraits {
  readonly authenticator?: AuthenticatorTraits;
  /** What the user does at each prompt; default: what is asked. */
  readonly user?: readonly UserOutcome[];
  /** Of the page on which the ceremony runs; its RP ID must still fit. */
  readonly page?: { readonly origin?: (origin: string) => string; readonly topOrigin?: string; readonly crossOrigin?: boolean };
}

/** Somebody at a browser with a software authenticator. */
export interface Actor {
  readonly authenticator: SoftwareAuthenticator;
  /** On the application's own page. */
  readonly client: Client;
  /** On the page of the traits. */
  readonly elsewhere: Client;
}

export function createActor(stage: Stage, { authenticator: traits, user, page = {} }: ActorTraits = {}): Actor {
  const { origin, ...embedding } = page;
  const authenticator = createAuthenticator({
    newPrivateKey: stage.newPrivateKey,
    ...traits,
    ...(user !== undefined && { userVerifier: scriptedUser(...user) }),
  });
  return {
    authenticator,
    client: createClient({ authenticator, origin: stage.origin }),
    elsewhere: createClient({ authenticator, origin: origin?.(stage.origin) ?? stage.origin, ...embedding }),
  };
}
