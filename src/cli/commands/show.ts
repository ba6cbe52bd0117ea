import { PasskeyError } from '../../errors.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { providerName } from '../../webauthn/aaguid.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import { encodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { decodeCoseKey } from '../../webauthn/cose-key.js';
import { formatTimestamp } from '../../webauthn/wording.js';
import { findPasskeys, idsOf } from '../arguments.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, print, printJson } from '../io.js';
import { passkeyRowOf } from '../output/passkeys.js';
import { printable } from '../output/printable.js';
import { withParties } from '../parties.js';
import type { PasskeyInFull } from '../schemas/passkeys.js';

/** `passkey show ID`: everything but what holds the registration's challenge. */
export async function run(io: Io, flags: Flags, idText: string): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const ids = idsOf('passkey', [idText]);
  const document = await withParties(io, { settings, create: false }, async ({ relyingParty, accounts }) => {
    const [passkey] = await findPasskeys(relyingParty, ids);
    if (passkey === undefined) throw new PasskeyError('passkey_not_found', `No passkey has the id ${idText}.`);
    const owner = await accounts.findOwner(passkey.owner);
    return inFull(passkey, owner?.email);
  });
  if (flags.json === true) return printJson(io, document);
  print(io, lines(document));
}

function inFull(passkey: Passkey, email: string | undefined): PasskeyInFull {
  const { credential } = passkey;
  return {
    ...passkeyRowOf(passkey),
    passkeeable_email: email ?? null,
    provider: providerName(passkey.aaguid) ?? null,
    rp_name: passkey.rpName,
    origin: passkey.origin,
    user_handle: encodeBase64url(passkey.userHandle),
    public_key: encodeBase64(credential.publicKey),
    algorithm: algorithmOf(credential.publicKey),
    transports: [...credential.transports],
    authenticator_attachment: passkey.authenticatorAttachment ?? null,
    user_verification_initialized: credential.uvInitialized,
    backup_eligible: credential.backupEligible,
    backup_state: credential.backupState,
    attestation: { format: passkey.attestation.format, trust: passkey.attestation.trust },
    revoked_reason: passkey.revokedReason ?? null,
    counter_regressions: passkey.counterRegressions,
    counter_regressed_at: passkey.counterRegressedAt === undefined ? null : formatTimestamp(passkey.counterRegressedAt),
  };
}

function algorithmOf(publicKey: Uint8Array): string | null {
  try {
    return algorithmName(decodeCoseKey(publicKey).alg) ?? null;
  } catch {
    // A key that does not decode must not hide the rest.
    return null;
  }
}

function lines(document: PasskeyInFull): string {
  const entries = Object.entries(document).map(([name, value]): [string, string] => [name.replaceAll('_', ' '), shown(value)]);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function shown(value: PasskeyInFull[keyof PasskeyInFull]): string {
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map((each) => printable(each)).join(', ');
  if (typeof value === 'object') return `${printable(value.format)}, ${value.trust}`;
  return printable(String(value));
}
