import type { SoftwareAuthenticator } from '../authenticator/authenticator.js';
import type { CredentialSource } from '../authenticator/credential-source.js';
import type { CredentialSourceStore } from '../authenticator/credential-store.js';
import type { CreationOptionsInput, RequestOptionsInput } from '../client/dictionaries.js';
import { decodeBase64url } from '../webauthn/base64url.js';
import { decodeClientData } from '../webauthn/client-data.js';

/** Data that is needed to make a response again. */
export interface MadeCeremony {
  readonly options: CreationOptionsInput | RequestOptionsInput;
  readonly topOrigin: string | undefined;
}

interface Answered extends MadeCeremony {
  readonly response: { readonly id: string; readonly response: { readonly clientDataJSON: string } };
  readonly origin: string;
}

interface Holder {
  readonly store: CredentialSourceStore;
  /** The credential as it was when it made the response. A store may replace it later. */
  readonly source: CredentialSource;
}

/** Maximum number of remembered entries of each kind. The oldest are forgotten. */
const MOST = 10_000;

const holders = new Map<string, Holder>();
const ceremonies = new Map<string, MadeCeremony>();

const makeKey = (id: string, challenge: string): string => `${id} ${challenge}`;

/**
 * Remembers the data needed to change a response that was made in this process, until the process ends.
 *
 * @returns the credential that made the response; undefined if the authenticator no longer holds it
 */
export async function remember(
  { response, options, origin, topOrigin }: Answered,
  { store }: Pick<SoftwareAuthenticator, 'store'>,
): Promise<CredentialSource | undefined> {
  const { id, response: inner } = response;
  const named = 'rp' in options ? options.rp.id : options.rpId;
  const source = await store.find(named ?? new URL(origin).hostname, decodeBase64url(id));
  if (source === undefined) return undefined;
  keep(holders, id, { store, source });
  keep(ceremonies, makeKey(id, decodeClientData(decodeBase64url(inner.clientDataJSON)).challenge), { options, topOrigin });
  return source;
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST && oldest !== undefined) map.delete(oldest);
}

/**
 * Finds a credential that was made in this process, in its current state and with its private key.
 *
 * @param id credential ID in base64url
 */
export async function knownCredential(id: string): Promise<CredentialSource | undefined> {
  const holder = holders.get(id);
  return holder && ((await holder.store.find(holder.source.rpId, holder.source.id)) ?? holder.source);
}

/**
 * Finds the data of the response that a credential made for a challenge.
 *
 * @param id credential ID in base64url
 * @param challenge challenge in base64url
 */
export function knownCeremony(id: string, challenge: string): MadeCeremony | undefined {
  return ceremonies.get(makeKey(id, challenge));
}
