import type { CredentialSource } from '../credential-source.js';
import type { Exported, ExportOptions, Imported, InterchangeShape, SuppliedMembers } from './contract.js';

/**
 * Reads credentials that passkey or another program has written.
 *
 * @throws PasskeyError `validation_failed` naming the member that is missing or wrong; never with a secret in its message.
 */
export async function importCredentials(shape: InterchangeShape, text: string, supplied: SuppliedMembers = {}): Promise<Imported> {
  const { readAs } = await import('./shapes.js');
  return readAs(shape, text, supplied);
}

/**
 * Writes credentials for passkey or another program. The returned text contains their private keys.
 *
 * @throws PasskeyError `validation_failed` when the other program cannot take one of them.
 */
export async function exportCredentials(
  shape: InterchangeShape,
  credentials: readonly CredentialSource[],
  { now = Date.now() }: ExportOptions = {},
): Promise<Exported> {
  const { writeAs } = await import('./shapes.js');
  return await writeAs(shape, credentials, { now });
}
