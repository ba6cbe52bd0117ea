import type { Authenticator, AuthenticatorInfo } from '../authenticator/ports.js';
import { HINTS, knownValue, listNames, type PublicKeyCredentialHint } from '../webauthn/enumerations.js';

type AtLeastOne = readonly [Authenticator, ...Authenticator[]];

/** Lists the hints that the client knows, in the order in which the RP gave them. */
export function knownHints(hints: readonly string[]): readonly PublicKeyCredentialHint[] {
  return hints.flatMap((hint) => knownValue(hint, listNames(HINTS)) ?? []);
}

/** Sorts the authenticators into the order in which a browser offers them (§5.8.7). Hints never exclude an authenticator. */
export function orderedByHints(authenticators: AtLeastOne, hints: readonly string[]): AtLeastOne {
  const known = knownHints(hints);
  if (known.length === 0 || authenticators.length === 1) return authenticators;
  const rank = ({ info }: Authenticator) => {
    const index = known.findIndex((hint) => info === undefined || fits(info, hint));
    return index === -1 ? known.length : index;
  };
  const [first, ...others] = authenticators.toSorted((a, b) => rank(a) - rank(b));
  return first ? [first, ...others] : authenticators;
}

/**
 * Tests whether an authenticator matches a hint. The hint `hybrid` means a phone: a cross-platform authenticator with the transport
 * `hybrid`.
 */
function fits({ attachment, transports }: AuthenticatorInfo, hint: PublicKeyCredentialHint): boolean {
  if (attachment !== HINTS[hint]) return false;
  return hint === 'client-device' || transports.includes('hybrid') === (hint === 'hybrid');
}
