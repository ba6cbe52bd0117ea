import type { CredentialSource } from '../authenticator/credential-source.js';
import { PasskeyError } from '../errors.js';
import { equalBytes } from '../kernel/bytes.js';
import { count } from '../kernel/wording.js';
import { algorithmName } from '../webauthn/algorithms.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import { printable } from './output/printable.js';
import type { CredentialRow } from './schemas/credentials.js';

/** A credential as `--json` shows it, without its secrets. */
export function toCredentialRow({ id, rpId, rpName, user, algorithm, ...source }: CredentialSource): CredentialRow {
  return {
    id: encodeBase64url(id),
    rp_id: rpId,
    rp_name: rpName,
    user_handle: encodeBase64url(user.id),
    user_name: user.name,
    user_display_name: user.displayName,
    algorithm: algorithmName(algorithm),
    discoverable: source.discoverable,
    sign_count: source.signCount,
    backup_eligible: source.backupEligible,
    backup_state: source.backupState,
    hidden: source.hidden ?? false,
  };
}

/** @throws PasskeyError `usage` for the beginning of no credential ID, or of several. */
export function chooseByIds(sources: readonly CredentialSource[], ids: readonly string[]): CredentialSource[] {
  const chosen = ids.map((id) => {
    const exact = sources.filter((source) => encodeBase64url(source.id) === id);
    const found = exact.length > 0 ? exact : sources.filter((source) => id !== '' && encodeBase64url(source.id).startsWith(id));
    const [only, ...others] = found;
    if (only !== undefined && others.every((other) => equalBytes(other.id, only.id) && other.rpId === only.rpId)) return only;
    const why = found.length === 0 ? 'No credential ID begins' : `${count(found.length, 'credential ID')} begin`;
    throw new PasskeyError(
      'usage',
      printable(`${why} with "${id.slice(0, 60)}"; nothing was changed. Run \`passkey credential list\` to see them.`),
    );
  });
  return [...new Set(chosen)];
}
