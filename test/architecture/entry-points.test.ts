import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PasskeyError } from '../../src/errors.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string; default: string }>;
};

const specifiers = Object.entries(manifest.exports).flatMap(([name, target]) => (typeof target === 'string' ? [] : [{ name, ...target }]));

/** What each entry point is there for. */
const GIVES: Record<string, readonly string[]> = {
  './accounts': ['createAccounts', 'prepareAuthAction'],
  './authenticator': ['createAuthenticator', 'credentialSourceFromJson', 'importCredentials', 'PERSONAS', 'scriptedUser'],
  './client': ['createClient'],
  './errors': ['PasskeyError', 'ERRORS'],
  './explain': ['explain', 'explainAll', 'annotate'],
  './relying-party': ['createRelyingParty'],
  './server': ['buildApp', 'DEFAULT_SETTINGS', 'listen'],
  './simulate': ['simulate'],
  './store': ['createMemoryStore', 'openStore'],
  './testing': ['createCeremonies', 'installCredentials', 'matchers', 'mutations', 'startServer', 'tamper', 'toWebauthnJson'],
  './testing/playwright': ['addSoftwareAuthenticator', 'checkPage', 'passkeyFixtures'],
  './webauthn': ['decodeCbor', 'decodeCoseKey', 'decodeAuthenticatorData', 'encodeBase64url', 'parseAaguid', 'rpIdFromUrl', 'TRANSPORTS'],
  './webauthn/registrable-suffix': ['isRegistrableSuffix'],
};

describe('the entry points of the package', () => {
  test.each(specifiers)('$name is built, with its types', ({ types, default: file }) => {
    expect([existsSync(join(root, types)), existsSync(join(root, file))]).toEqual([true, true]);
  });

  test('give what they are there for to whoever imports the package, with one PasskeyError and the shapes of other programs', () => {
    const script = `const given = {};
      for (const name of ${JSON.stringify(Object.keys(GIVES))}) given[name] = await import('passkey-cli' + name.slice(1));
      const { response } = await given['./testing'].createCeremonies().registration();
      const error = await given['./testing'].tamper(response, 'no-such-thing').catch((thrown) => thrown);
      const { text } = await given['./authenticator'].exportCredentials('cxf', [], { now: 0 });
      const names = Object.fromEntries(Object.entries(given).map(([name, members]) => [name, Object.keys(members)]));
      console.log(JSON.stringify([names, error instanceof given['./errors'].PasskeyError, error.code, JSON.parse(text).version]));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' });
    const expected = Object.entries(GIVES).map(([name, members]) => [name, expect.arrayContaining([...members])]);
    expect(JSON.parse(printed)).toEqual([Object.fromEntries(expected), true, 'usage', { major: 1, minor: 0 }]);
  });

  test('an error of another copy of the package is a PasskeyError, as a module that --auth-action names may throw it', async () => {
    const built: typeof import('../../src/errors.js') = await import(pathToFileURL(join(root, 'dist/errors.js')).href);
    const error = new built.PasskeyError('usage', 'Expected a user.');
    expect([built.PasskeyError === PasskeyError, error instanceof PasskeyError]).toEqual([false, true]);
    expect([new Error('other'), { ...error }, null].map((other) => other instanceof PasskeyError)).toEqual([false, false, false]);
    class Narrower extends PasskeyError {}
    expect([error instanceof Narrower, new Narrower('usage', '') instanceof PasskeyError]).toEqual([false, true]);
  });

  test('the JSON Schemas of the package are written', () => {
    const schemas = readdirSync(join(root, 'dist/schemas'));
    expect(schemas).toEqual(expect.arrayContaining(['passkey-fixture-1.schema.json', 'list.schema.json']));
    for (const file of schemas) expect(JSON.parse(readFileSync(join(root, 'dist/schemas', file), 'utf8'))).toHaveProperty('type');
  });
});

const dist = join(root, 'dist');
const textOf = (files: Iterable<string>) => [...files].map((file) => readFileSync(file, 'utf8')).join('\n');

/** Every file that an entry imports statically, itself included, followed through the chunks. */
function filesLoadedBy(entry: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, to] of text.matchAll(/(?:^|[;}\s])(?:import|export)\s*(?:[^'"();]*?from\s*)?"(\.[^"]+)"/g)) {
      visit(resolve(dirname(file), to ?? ''));
    }
  };
  visit(join(dist, entry));
  expect(seen.size).toBeGreaterThan(1);
  return seen;
}

const loadedBy = (entry: string): string => textOf(filesLoadedBy(entry));

describe('start-up', () => {
  const built = textOf(readdirSync(join(dist, 'chunks')).map((file) => join(dist, 'chunks', file)));

  test.each([
    // An assertion on a tree or on options needs no verification.
    ['explain.js', ['FST_ERR_BAD_URL', 'lowdb', 'Unexpected registration response origin']],
    // A name on the public suffix list; and the private keys of the authenticator.
    ['webauthn.js', ['FST_ERR_BAD_URL', 'verifyRegistrationResponse', 'blogspot', 'Expected a private key as PKCS#8 DER']],
    ['client.js', ['FST_ERR_BAD_URL', 'verifyRegistrationResponse', 'Expected a private key as PKCS#8 DER']],
    // Neither a server nor a verifier is behind a page.
    ['testing/playwright.js', ['FST_ERR_BAD_URL', 'lowdb', 'verifyRegistrationResponse']],
    // ML-DSA is for those who ask for it; the shapes of other programs wait until one is asked for.
    ['authenticator.js', ['FST_ERR_BAD_URL', 'verifyRegistrationResponse', 'blogspot', 'validateSigOpts', 'fido2Extensions']],
  ])('%s loads none of %j', (entry, marks) => {
    const loaded = loadedBy(entry);
    for (const mark of marks) {
      expect([mark, built.includes(mark), loaded.includes(mark)]).toEqual([mark, true, false]);
    }
  });
});

describe('the types of the package', () => {
  const packed = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
  const specifiersOf = (file: string): string[] =>
    [...readFileSync(join(dist, file), 'utf8').matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\s]+)\1/g)].map(([, , to = '']) => to);
  const foreign = (to: string) => !/^(?:\.|node:)/.test(to);

  // Fastify and pino are named by the types of passkey-cli/server alone, Playwright by those of passkey-cli/testing/playwright.
  test('name other packages only where the caller brings them', () => {
    const named = packed
      .filter((file) => file.endsWith('.d.ts'))
      .flatMap((file) =>
        specifiersOf(file)
          .filter(foreign)
          .map((to) => `${file}: ${to}`),
      );
    expect([...new Set(named)].toSorted()).toEqual([
      'types/server/options.d.ts: fastify',
      'types/server/options.d.ts: pino',
      'types/testing/playwright/check-page.d.ts: @playwright/test',
      'types/testing/playwright/page-driver.d.ts: @playwright/test',
      'types/testing/playwright/playwright.d.ts: @playwright/test',
      'types/testing/playwright/software-authenticator.d.ts: @playwright/test',
      'types/type-provider-typebox.d.ts: fastify',
    ]);
  });
});
