import type { Json, JsonObject } from '../json.js';
import { getPath, setPath, stringAt } from '../json.js';

/** As much of a stored passkey as a descriptor (WebAuthn L3 §5.8.3) needs. */
export interface Described {
  /** base64url. */
  readonly credentialId: string;
  readonly transports: readonly string[];
}

/** Credential ids of the list at `path`; undefined when the server's own list stays. */
export function listedCredentials(options: JsonObject, path: readonly string[]): readonly string[] | undefined {
  const list = getPath(options, path);
  return Array.isArray(list) ? list.map((entry) => stringAt(entry, 'id') ?? '') : undefined;
}

/**
 * The options with the list at `path` made of `ids`, in their order; undefined gives the list back to the server. What the list
 * held already is kept as it was written.
 */
export function listCredentials(
  options: JsonObject,
  path: readonly string[],
  ids: readonly string[] | undefined,
  known: readonly Described[],
): JsonObject {
  if (ids === undefined) {
    return setPath(options, path, undefined);
  }
  const old = getPath(options, path);
  const entries: readonly Json[] = Array.isArray(old) ? old : [];
  const descriptors = ids.map((id): Json => {
    const kept = entries.find((entry) => stringAt(entry, 'id') === id);
    const transports = known.find((one) => one.credentialId === id)?.transports ?? [];
    return kept ?? { id, type: 'public-key', ...(transports.length === 0 ? {} : { transports }) };
  });
  return setPath(options, path, descriptors);
}
