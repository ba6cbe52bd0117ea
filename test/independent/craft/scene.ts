import { createHash, randomBytes } from 'node:crypto';
import { type Answer, bearer, type Json, post, send } from '../exchange.js';
import type { IndependentParty } from '../server.js';
import { cbor, changed, map, type Pairs, type Value } from './cbor.js';
import { coseKey, ec, type Pair, signBy, spki } from './keys.js';

export const HOST = 'login.example.com';
export const ORIGIN = `https://${HOST}`;
export const EVIL = 'https://evil.example';
const APP = { app_name: 'Example', app_url: ORIGIN };

export const UP = 0x01;
export const UV = 0x04;
export const BE = 0x08;
export const BS = 0x10;
export const AT = 0x40;
export const ED = 0x80;

export const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();
export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** What was registered, with its private key. */
export interface Crafted {
  readonly id: Buffer;
  readonly pair: Pair;
  /** The user handle, as the options gave it. */
  readonly handle: string;
  /** What the API calls it by, once it is registered. */
  readonly passkey?: unknown;
}

/** What is signed in place of authenticator data and hash of the client data. */
export type ToSign = (parts: { readonly authData: Buffer; readonly clientData: Buffer; readonly hash: Buffer }) => Uint8Array;

export interface Change {
  /** Members of the client data, or their text. */
  readonly client?: Json | ((members: Json) => string);
  readonly rpIdHash?: Uint8Array;
  /** All flags. */
  readonly flags?: number;
  readonly signCount?: number;
  /** After the authenticator data proper; the flag ED is set apart. */
  readonly tail?: Uint8Array;
  /** Members of the body; those of `response` are merged. */
  readonly body?: Json;
  readonly response?: Json;
}

/** What a verification procedure is shown. */
export interface ToAttest {
  readonly authData: Buffer;
  readonly hash: Buffer;
  readonly pair: Pair;
  readonly id: Buffer;
  readonly aaguid: Buffer;
}

export interface Attested {
  readonly fmt: string;
  readonly attStmt: Value;
}

export interface CreateChange extends Change {
  readonly pair?: Pair;
  readonly id?: Buffer;
  readonly aaguid?: Buffer;
  /** Instead of the COSE_Key of the pair. */
  readonly cose?: readonly (readonly [Value, Value | undefined])[];
  readonly attest?: (made: ToAttest) => Attested;
  /** Instead of the attestation object in the order of the standard. */
  readonly object?: (parts: Attested & { readonly authData: Buffer }) => Value | Pairs;
  /** After the attestation object. */
  readonly objectTail?: Uint8Array;
}

export interface GetChange extends Change {
  readonly sign?: ToSign;
  readonly signature?: (data: Buffer, pair: Pair) => Uint8Array;
}

/** One party, and crafted exchanges with it. */
export class Scene {
  readonly party: IndependentParty;
  readonly clock: { now: number };

  constructor(party: IndependentParty, clock: { now: number }) {
    this.party = party;
    this.clock = clock;
  }

  async creationOptions(asked: Json = {}, user = 0): Promise<Json> {
    return (await post(this.party, '/api/passkeys/register/options', { ...APP, ...asked }, this.token(user))).json;
  }

  async submit(body: Json, user = 0, headers: Record<string, string> = {}): Promise<Answer> {
    return await post(this.party, '/api/passkeys/register', body, { ...this.token(user), ...headers });
  }

  /** A whole registration. */
  async register(change: CreateChange = {}, asked: Json = {}, user = 0): Promise<Answer & { readonly made: Crafted }> {
    const { body, made } = create(await this.creationOptions(asked, user), change);
    const answer = await this.submit(body, user);
    return { ...answer, made: { ...made, passkey: Object(answer.json['passkey']).id } };
  }

  /** A registration that is only there for what comes after it. */
  async registered(change: CreateChange = {}, asked: Json = {}, user = 0): Promise<Crafted> {
    const { status, json, made } = await this.register(change, asked, user);
    if (status !== 200) throw new Error(`The registration that goes before was refused: ${JSON.stringify(json)}`);
    return made;
  }

  /** Without a credential: for any discoverable one. */
  async requestOptions(credential?: Crafted, asked: Json = {}): Promise<Json> {
    const named = credential && { credential_id: base64url(credential.id) };
    return (await post(this.party, `/api/passkeys/${named ? 'verify' : 'login'}/options`, { ...(named ?? APP), ...asked })).json;
  }

  async login(body: Json, headers: Record<string, string> = {}): Promise<Answer> {
    return await post(this.party, '/api/passkeys/login', body, headers);
  }

  /** A whole authentication with a named credential. */
  async signIn(credential: Crafted, change: GetChange = {}, asked: Json = {}): Promise<Answer> {
    return await this.login(get(await this.requestOptions(credential, asked), credential, change));
  }

  async send(method: string, path: string, headers: Record<string, string>): Promise<Answer> {
    return await send(this.party, method, path, { headers });
  }

  /** The user handle of the other user. */
  async otherHandle(): Promise<string> {
    return String(Object((await this.creationOptions({}, 1))['user']).id);
  }

  token(user: number): Record<string, string> {
    return bearer(this.party.tokens[user === 0 ? 0 : 1]);
  }
}

function clientDataOf(type: string, { challenge }: Json, { client = {} }: Change): Buffer {
  const members = { type, challenge, origin: ORIGIN, crossOrigin: false };
  return Buffer.from(typeof client === 'function' ? client(members) : JSON.stringify({ ...members, ...client }));
}

function head({ rpIdHash = sha256(HOST), signCount = 0 }: Change, flags: number): Buffer {
  const numbers = Buffer.alloc(5);
  numbers[0] = flags;
  numbers.writeUInt32BE(signCount, 1);
  return Buffer.concat([rpIdHash, numbers]);
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);

/** The answer to creation options. */
export function create(options: Json, change: CreateChange = {}): { readonly body: Json; readonly made: Crafted } {
  const { pair = ec(), id = randomBytes(32), aaguid = Buffer.alloc(16), cose = [], tail = Buffer.alloc(0) } = change;
  const clientData = clientDataOf('webauthn.create', options, change);
  const key = cbor(changed(coseKey(pair), cose));
  const authData = Buffer.concat([head(change, change.flags ?? UP | UV | AT), aaguid, uint16(id.length), id, key, tail]);
  const none = { fmt: 'none', attStmt: map() };
  const attested = change.attest?.({ authData, hash: sha256(clientData), pair, id, aaguid }) ?? none;
  const standard = map(['fmt', attested.fmt], ['attStmt', attested.attStmt], ['authData', authData]);
  const object = cbor(change.object?.({ ...attested, authData }) ?? standard);
  const response = {
    clientDataJSON: base64url(clientData),
    attestationObject: base64url(Buffer.concat([object, change.objectTail ?? Buffer.alloc(0)])),
    transports: ['internal'],
    // The copies that no signature covers.
    authenticatorData: base64url(authData),
    publicKey: base64url(spki(pair)),
    publicKeyAlgorithm: pair.alg,
    ...change.response,
  };
  const attachment = { authenticatorAttachment: 'platform', clientExtensionResults: {} };
  const body = { id: base64url(id), rawId: base64url(id), type: 'public-key', ...attachment, ...change.body, response };
  return { body, made: { id, pair, handle: String(Object(options['user']).id) } };
}

/** The answer to request options. */
export function get(options: Json, { id, pair, handle }: Crafted, change: GetChange = {}): Json {
  const clientData = clientDataOf('webauthn.get', options, change);
  const authData = Buffer.concat([head(change, change.flags ?? UP | UV), change.tail ?? Buffer.alloc(0)]);
  const parts = { authData, clientData, hash: sha256(clientData) };
  const data = Buffer.from(change.sign?.(parts) ?? Buffer.concat([authData, parts.hash]));
  const response = {
    clientDataJSON: base64url(clientData),
    authenticatorData: base64url(authData),
    signature: base64url(change.signature?.(data, pair) ?? signBy(pair, data)),
    userHandle: handle,
    ...change.response,
  };
  const attachment = { authenticatorAttachment: 'platform', clientExtensionResults: {} };
  return { id: base64url(id), rawId: base64url(id), type: 'public-key', ...attachment, ...change.body, response };
}
