import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PasskeyError } from '../../errors.js';
import type { App } from '../options.js';

/**
 * Names of the files that browsers and apps fetch: related origins (WebAuthn L3 §5.11), passkey endpoints, Android's Digital Asset Links,
 * and Apple's associated domains.
 */
export const WELL_KNOWN_FILES = ['webauthn', 'passkey-endpoints', 'assetlinks.json', 'apple-app-site-association'] as const;

/** Serves the files of a folder below `/.well-known/` as JSON, with their current content, for browsers and apps. */
export function addWellKnownRoutes(app: App, folder: string): void {
  for (const name of WELL_KNOWN_FILES) {
    app.get(`/.well-known/${name}`, { schema: { hide: true } }, async (_request, reply) => {
      const text = await readFile(join(folder, name), 'utf8').catch((cause: unknown) => {
        throw new PasskeyError('route_not_found', `The folder of --well-known has no ${name}. Add the file there.`, { cause });
      });
      return reply.type('application/json').send(text);
    });
  }
}
