import type { CredentialSource } from '../credential-source.js';
import type { Exported, ExportOptions, Imported, InterchangeShape, SuppliedMembers } from './contract.js';

/**
 * Reads credentials from a document that passkey or another program has written.
 *
 * @throws PasskeyError `validation_failed` naming the member that is missing or wrong. The message never contains a secret.
 */
export async function importCredentials(shape: InterchangeShape, text: string, supplied: SuppliedMembers = {}): Promise<Imported> {
  const { readAs } = await import('./shapes.js');
  return readAs(shape, text, supplied);
}

/**
 * Writes credentials as a document for passkey or another program. The document contains their private keys.
 *
 * @throws PasskeyError `validation_failed` if the other program cannot read one of the credentials.
 */
export async function exportCredentials(
  shape: InterchangeShape,
  credentials: readonly CredentialSource[],
  { now = Date.now() }: ExportOptions = {},
): Promise<Exported> {
  const { writeAs } = await import('./shapes.js');
  return await writeAs(shape, credentials, { now });
}
