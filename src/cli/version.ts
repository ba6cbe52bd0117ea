import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from './package-folder.js';

/** Version of this package. The bundler puts it in; sources read it from package.json. */
export function version(): string {
  const built = process.env.PASSKEY_BUILD_VERSION;
  if (built) return built;
  const manifest: unknown = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0.0.0';
}
