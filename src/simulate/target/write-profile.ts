import type { TargetProfile } from './profile-schema.js';
import { parseProfile } from './read-profile.js';

/** Where a project that has installed the package finds the schema of profiles. */
const SCHEMA = './node_modules/passkey-cli/dist/schemas/passkey-target-profile.schema.json';

/**
 * The text of a profile's file, and its end of line; the name tells YAML (`.yaml`, `.yml`) from JSON.
 *
 * @throws PasskeyError `configuration_invalid` for a profile that could not be read again.
 */
export async function writeProfile(profile: TargetProfile, name: string): Promise<string> {
  const document = { $schema: SCHEMA, ...profile };
  const text = /\.ya?ml$/i.test(name)
    ? (await import('yaml')).default.stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
    : `${JSON.stringify(document, null, 2)}\n`;
  await parseProfile(text, name);
  return text;
}
