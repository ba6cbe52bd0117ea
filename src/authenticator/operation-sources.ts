import { encodeBase64url } from '../webauthn/base64url.js';
import type { AttestationFormat } from './attestation/format.js';
import { type KeyPairSource, keyPairsFrom, type RandomSource, systemKeyPairs, systemRandom } from './key-pair.js';
import type { MakeCredentialRequest } from './ports.js';
import { seededBy, seededKeyPairs } from './seeded.js';
import { type KeyOpener, openSigningKey } from './signing-key.js';

/** Options for the sources of randomness, keys and time. */
export interface SourceOptions {
  /**
   * Seed that makes credential IDs, keys and signatures repeat byte for byte, on every run, platform and version of Node. RSA keys come
   * from a public pool. A seed makes the authenticator slower and is for tests only, because anyone who knows the seed knows the keys. To
   * make statements with the time repeat too, set `now`.
   */
  readonly seed?: Uint8Array | string;
  /** Source of credential IDs, secrets and keys other than RSA; default: the system's random source. Cannot be combined with `seed`. */
  readonly random?: RandomSource;
  /** Clock that returns milliseconds since the epoch, for attestation statements that contain the time; default: the system's clock. */
  readonly now?: () => number;
  /** Source of private keys as PKCS#8 DER; default: `seed` or `random` if given, otherwise Node's own generators. */
  readonly newPrivateKey?: KeyPairSource;
  /** Source of credential IDs of 1 to 1023 bytes; default: `credentialIdLength` random bytes. */
  readonly newCredentialId?: RandomSource;
  /** Opens private keys for signing; default: Node's own signatures. Cannot be combined with `seed`. */
  readonly openKey?: KeyOpener;
}

/** Sources of randomness for creating one credential. */
export interface OperationSources {
  readonly random: RandomSource;
  readonly newPrivateKey: KeyPairSource;
  readonly newCredentialId: RandomSource;
  /** Current time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Lists the parts of a statement of this format that may differ from run to run, even with a seed. */
  undetermined?(format: AttestationFormat): readonly string[];
}

/** An authenticator's sources of randomness, keys and time. */
export interface Sources {
  /** Source of randomness for every purpose other than creating credentials. */
  readonly random: RandomSource;
  readonly now: () => number;
  readonly openKey: KeyOpener;
  readonly seeded: boolean;
  create(request: MakeCredentialRequest): OperationSources;
}

/** Chooses the sources according to the options. @throws TypeError for a seed together with another source of randomness or signatures. */
export function chooseSources(options: SourceOptions): Sources {
  const { seed, now = Date.now, newPrivateKey, newCredentialId } = options;
  if (seed !== undefined) return seededSources(seed, options);
  const random = options.random ?? systemRandom;
  const keys = newPrivateKey ?? (options.random ? keyPairsFrom(options.random) : systemKeyPairs);
  const sources = { random, newPrivateKey: keys, newCredentialId: newCredentialId ?? random, now };
  return { random, now, openKey: options.openKey ?? openSigningKey, seeded: false, create: () => sources };
}

/**
 * Creates sources from a seed. Each creation of a credential has its own stream of bytes, so that overlapping creations do not affect each
 * other. The stream also depends on the RP and the user. Even a store that outlives the authenticator therefore never gets the same key for
 * two RPs.
 */
function seededSources(seed: Uint8Array | string, { random, now, newPrivateKey, newCredentialId, openKey: given }: SourceOptions): Sources {
  if (given !== undefined) throw new TypeError('Expected either a seed or openKey; got both. Leave one out.');
  if (random !== undefined) throw new TypeError('Expected either a seed or a random source; got both. Leave one out.');
  const { stream, openKey } = seededBy(seed);
  let creations = 0;
  return {
    random: stream('authenticator'),
    now: now ?? Date.now,
    openKey,
    seeded: true,
    create({ rp, user }) {
      const drawn = stream(`creation ${creations++} for ${encodeBase64url(user.id)} at ${rp.id}`);
      let toldTime = false;
      return {
        random: drawn,
        newPrivateKey: newPrivateKey ?? seededKeyPairs(drawn),
        newCredentialId: newCredentialId ?? drawn,
        now: () => {
          toldTime = true;
          return (now ?? Date.now)();
        },
        undetermined: ({ fmt, deterministic }) => [
          ...(newPrivateKey ? ['privateKey: it comes from newPrivateKey, not from the seed'] : []),
          ...(newCredentialId ? ['credentialId: it comes from newCredentialId, not from the seed'] : []),
          ...(deterministic ? [] : [`attStmt: the format ${fmt} is not declared deterministic, so its statement may differ`]),
          ...(toldTime && now === undefined ? ['attStmt: it contains the system time; set now'] : []),
        ],
      };
    },
  };
}
