import { challengeForgottenAt } from '../kernel/challenge-life.js';
import type { CeremonyFinished, RelyingPartyEvent } from '../relying-party/events.js';
import type { Ceremony } from '../relying-party/ports.js';
import type { RelyingParty } from '../relying-party/relying-party.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { WantedChallenge } from './software-answers.js';

/** A ceremony of this server, with its result if it has ended. */
export interface RememberedCeremony {
  readonly ceremony: Ceremony;
  /** The result of the first response. Every later response to the same challenge is a replay. */
  readonly finished: CeremonyFinished | undefined;
}

export interface RememberedCeremonies {
  /** Finds a ceremony by its challenge. @param challenge the challenge in base64url. */
  find(challenge: string): RememberedCeremony | undefined;
  /** Finds the newest ceremony that matches `wanted` and that the store still knows. */
  findLast(wanted: WantedChallenge, now: number): RememberedCeremony | undefined;
  /** Stops remembering ceremonies. */
  stop(): void;
}

/** Maximum number of ceremonies that are remembered. The test page shows the same number. */
const MOST = 1_000;
/** Maximum number of characters in all remembered options and responses together. */
const MOST_TEXT = 16 * 1024 * 1024;

/**
 * Remembers the ceremonies since the start of the server, for the development routes. Ceremonies with and without a response have separate
 * limits, so that open ceremonies do not displace those with a response.
 */
export function rememberCeremonies({ on }: Pick<RelyingParty, 'on'>): RememberedCeremonies {
  const open = createBoundedMap();
  const finished = createBoundedMap();
  const stop = on((event: RelyingPartyEvent) => {
    if (event.type === 'ceremony-begun') {
      const { ceremony } = event;
      open.set(encodeBase64url(ceremony.challenge), { ceremony, finished: undefined });
      return;
    }
    if (event.type !== 'ceremony-finished' || event.ceremony === undefined) return;
    const { ceremony } = event;
    const key = encodeBase64url(ceremony.challenge);
    if (finished.get(key) !== undefined) return;
    open.delete(key);
    finished.set(key, { ceremony, finished: event });
  });

  return {
    find: (challenge) => finished.get(challenge) ?? open.get(challenge),
    findLast({ of, state, rpId, userHandle, credentialId }, now) {
      const fits = ({ ceremony, finished: end }: RememberedCeremony): boolean => {
        if (ceremony.kind !== of || now >= challengeForgottenAt(ceremony)) return false;
        if (state === 'any') return true;
        if (ceremony.rpId !== rpId || !isSame(ceremony.userHandle, userHandle)) return false;
        if (!isSame(ceremony.credentialId, credentialId)) return false;
        return state === 'used' ? end !== undefined : end === undefined && now >= ceremony.expiresAt;
      };
      return [...finished.values(), ...open.values()].findLast(fits);
    },
    stop,
  };
}

/** Makes a map of ceremonies that removes the oldest ones when there are too many, or when they are too large together. */
function createBoundedMap() {
  const kept = new Map<string, RememberedCeremony & { readonly size: number }>();
  let size = 0;
  const forget = (key: string) => {
    size -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  };
  return {
    get: (key: string): RememberedCeremony | undefined => kept.get(key),
    values: (): Iterable<RememberedCeremony> => kept.values(),
    delete: forget,
    set(key: string, { ceremony, finished }: RememberedCeremony) {
      forget(key);
      const own = measureSize(ceremony.options) + measureSize(finished?.response);
      kept.set(key, { ceremony, finished, size: own });
      size += own;
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST && size <= MOST_TEXT) break;
        forget(oldest);
      }
    },
  };
}

/** Estimates how many characters a value would have as JSON, without creating the JSON. */
function measureSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  let size = 2;
  for (const [name, member] of Object.entries(value)) size += name.length + 4 + measureSize(member);
  return size;
}

/** Checks whether `bytes` are the bytes that `text` encodes. @param text base64url */
function isSame(bytes: Uint8Array | undefined, text: string | undefined): boolean {
  return bytes === undefined || encodeBase64url(bytes) === text;
}
