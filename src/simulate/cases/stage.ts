import { randomBytes } from 'node:crypto';
import { type KeyPairSource, keyPairsFrom, reusingRsaKey } from '../../authenticator/key-pair.js';
import type { HttpTarget } from '../http.js';
import type { InProcess, Room, RoomOptions } from '../in-process.js';

/** Users that a case can act as. */
export type User = 1 | 2;

/** Where a case plays: a server under test, and two users of it. */
export interface Stage {
  readonly target: HttpTarget;
  /** Of the application whose ceremonies they are. */
  readonly origin: string;
  readonly rpId: string;
  /** Bearer token; undefined when the run was given none for this user. */
  token(user: User): Promise<string | undefined>;
  /** Only in process: store and clock of the server under test. */
  readonly room: Room | undefined;
  readonly newPrivateKey: KeyPairSource;
  /** Told of every passkey that the case registers, so that none stays behind. */
  registered(id: number, user: User): void;
  /** Takes back what the case has left on a server that goes on. */
  close(): Promise<void>;
}

/** A server under test that runs elsewhere. */
export interface RemoteServer {
  readonly target: HttpTarget;
  /** Bearer tokens of the first and the second user. */
  readonly tokens: readonly string[];
  /** The application whose ceremonies they are. */
  readonly application: URL;
}

/** What a run plays on. */
export interface Playhouse {
  readonly server: InProcess;
  /** Given: the cases that can, run against it, and nothing runs in process. */
  readonly remote: RemoteServer | undefined;
  readonly newPrivateKey: KeyPairSource;
}

/** One RSA key serves a whole run: making one takes longer than many cases together. */
export function createKeySource(): KeyPairSource {
  return reusingRsaKey(keyPairsFrom((length) => new Uint8Array(randomBytes(length))));
}

const ORIGIN = 'http://localhost:7277';
const CLEAN_UP_WITHIN_MS = 10_000;

/** @param origin of the application, in process; a server elsewhere is its own. */
export async function openStage({ server, remote, newPrivateKey }: Playhouse, options: RoomOptions, origin = ORIGIN): Promise<Stage> {
  if (remote !== undefined) return openRemote(remote, newPrivateKey);
  return openInProcess(await server.open(options), newPrivateKey, origin);
}

function openInProcess(room: Room, newPrivateKey: KeyPairSource, origin: string): Stage {
  const tokens = new Map<User, Promise<string>>();
  async function newToken(user: User): Promise<string> {
    const owner = await room.accounts.addOwner({ email: `user${user}@example.org`, name: `User ${user}` });
    return (await room.accounts.createToken({ owner })).token;
  }
  return {
    target: room.target,
    origin,
    rpId: new URL(origin).hostname,
    token(user) {
      const token = tokens.get(user) ?? newToken(user);
      tokens.set(user, token);
      return token;
    },
    room,
    newPrivateKey,
    registered() {
      // The store goes with the room.
    },
    async close() {},
  };
}

/** The application of a server that is one itself. No client takes an IP address as RP ID. */
export function applicationUrl(target: URL): URL {
  const url = new URL(target);
  if (/^(127\.[\d.]+|\[::1\])$/.test(url.hostname)) url.hostname = 'localhost';
  return url;
}

function openRemote({ target, tokens, application }: RemoteServer, newPrivateKey: KeyPairSource): Stage {
  const made: { readonly id: number; readonly user: User }[] = [];
  return {
    target,
    origin: application.origin,
    rpId: application.hostname,
    async token(user) {
      return tokens[user - 1];
    },
    room: undefined,
    newPrivateKey,
    registered(id, user) {
      made.push({ id, user });
    },
    async close() {
      for (const { id, user } of made) {
        const headers = { authorization: `Bearer ${tokens[user - 1] ?? ''}` };
        // Also after an interruption, which has ended the other requests.
        const signal = AbortSignal.timeout(CLEAN_UP_WITHIN_MS);
        await target.send({ method: 'DELETE', path: `/api/passkeys/${id}`, headers, signal });
      }
    },
  };
}
