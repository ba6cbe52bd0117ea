import type { CborMap } from '../../webauthn/cbor.js';
import { browserNameOf, findExtensionInput } from '../../webauthn/extensions.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import type { Observation } from './observation.js';

/** The output of a browser that knows the extension, and whose authenticator does not: a member, or the output itself. */
const UNSUPPORTED: ReadonlyMap<string, string | undefined> = new Map([
  ['prf', 'enabled'],
  ['largeBlob', 'supported'],
  ['hmacCreateSecret', undefined],
  ['credBlob', undefined],
]);

/** What the browser says of an extension that the authenticator does not have; undefined where it has it. */
function refusalOf(name: string, output: unknown): string | undefined {
  const member = UNSUPPORTED.get(name);
  if (!UNSUPPORTED.has(name) || (member === undefined ? output : isObject(output) && output[member]) !== false) {
    return undefined;
  }
  // Without the member `isObject(...) && ...` is false for what is no object, which says nothing.
  return member === undefined ? `${name} is false` : isObject(output) ? `${name}.${member} is false` : undefined;
}

/** Extensions that were asked for, and of which nothing came back, or a refusal. */
export function ignoredExtensions(options: JsonObject | undefined, results: JsonObject, outputs: CborMap | undefined): Observation[] {
  const asked = isObject(options?.['extensions']) ? Object.keys(options['extensions']) : [];
  return asked.flatMap((name) => {
    const input = findExtensionInput(name);
    const known = input?.authenticator ?? name;
    const refusal = refusalOf(name, Object.hasOwn(results, name) ? results[name] : undefined);
    if (refusal !== undefined) {
      return [
        {
          slug: 'extension-unsupported',
          message: `The extension ${name} was asked for, and this authenticator does not have it (${refusal}); every extension is optional, so go on without, or offer another authenticator.`,
        },
      ];
    }
    if (input?.output === 'none' || Object.hasOwn(results, name) || outputs?.has(known) === true) {
      return [];
    }
    // Some pages ask by the name that authenticators use.
    const byAuthenticator = input?.output === 'signed' || browserNameOf(name) !== undefined;
    return [
      {
        slug: 'extension-ignored',
        message: byAuthenticator
          ? `The extension ${name} was asked for and is not in the authenticator data: this authenticator does not know it, or refused it; every extension is optional, so go on without.`
          : `The extension ${name} was asked for and clientExtensionResults has no output of it: this browser does not know it, or the page did not send the results; every extension is optional, so go on without.`,
      },
    ];
  });
}
