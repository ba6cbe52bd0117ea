import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSoftwareAuthenticator } from '../../src/testing/playwright/playwright.js';
import { html, routes, serve, type Target } from '../targets/http.js';
import { addAuthenticator, launchBrowser, skipWithoutBrowser } from './browser.js';

/** What the scripts below have at hand. */
const PRELUDE = `
  const bytes = (length) => new Uint8Array(length).fill(7);
  const creation = (more) => ({ publicKey: { challenge: bytes(16), rp: { name: 'Example' }, user: { id: bytes(4), name: 'ada', displayName: 'Ada' },
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }], authenticatorSelection: { residentKey: 'required' }, ...more } });
  const request = (more) => ({ publicKey: { challenge: bytes(16), ...more } });
  const { credentials } = navigator;
  const make = () => credentials.create(creation());
  const nameOf = (error) => error instanceof DOMException ? 'DOMException ' + error.name : error instanceof Error ? error.name : typeof error;
  const json = { challenge: 'AAAA', rp: { name: 'x' }, user: { id: 'BwcH', name: 'a', displayName: 'a' }, pubKeyCredParams: [] };
`;

/** Each comes to the same with Chromium's own API and its virtual authenticator as with ours: the value, or the name of the exception. */
const SCRIPTS: readonly (readonly [title: string, script: string])[] = [
  [
    'the members of a new credential’s JSON',
    'const { response, ...rest } = (await make()).toJSON(); return [Object.keys(rest).sort(), Object.keys(response).sort()]',
  ],
  [
    'the members of an assertion’s JSON',
    'await make(); const { response, ...rest } = (await credentials.get(request())).toJSON(); return [Object.keys(rest).sort(), Object.keys(response).sort()]',
  ],
  ['what for…in lists', 'const names = []; for (const name in await make()) names.push(name); return names.sort()'],
  [
    'what for…in lists of a response',
    'const names = []; for (const name in (await make()).response) names.push(name); return names.sort()',
  ],
  [
    'the interfaces’ names and bases',
    'return [String(await make()), PublicKeyCredential.name, Object.getPrototypeOf(PublicKeyCredential) === Credential, Object.getPrototypeOf(AuthenticatorAttestationResponse) === AuthenticatorResponse]',
  ],
  [
    'extension outputs',
    'const made = await credentials.create(creation({ extensions: { credProps: true } })); return made.getClientExtensionResults()',
  ],
  ['no options', 'return await credentials.create()'],
  ['options without a type', 'return await credentials.create({})'],
  ['a get() without a type', 'return await credentials.get({})'],
  ['a publicKey that is a number', 'return await credentials.create({ publicKey: 7 })'],
  ['no challenge', 'return await credentials.create(creation({ challenge: undefined }))'],
  ['a challenge of text', 'return await credentials.get(request({ challenge: "AAAA" }))'],
  ['no rp', 'return await credentials.create(creation({ rp: undefined }))'],
  ['a user without an ID', 'return await credentials.create(creation({ user: { name: "a", displayName: "a" } }))'],
  ['a user ID that is too long', 'return await credentials.create(creation({ user: { id: bytes(65), name: "a", displayName: "a" } }))'],
  ['an RP ID of another site', 'return await credentials.create(creation({ rp: { id: "example.org", name: "x" } }))'],
  [
    'a credential that is there already',
    'const { rawId: id } = await make(); return await credentials.create(creation({ excludeCredentials: [{ type: "public-key", id }] }))',
  ],
  ['a mediation that does not exist', 'return await credentials.get({ ...request(), mediation: "never" })'],
  ['a signal that is none', 'return await credentials.get({ ...request(), signal: {} })'],
  ['a signal that is aborted', 'await make(); return await credentials.get({ ...request(), signal: AbortSignal.abort() })'],
  [
    'an abort with a reason',
    'await make(); return await credentials.get({ ...request(), signal: AbortSignal.abort("enough") }).catch((reason) => reason)',
  ],
  ['a constructor called', 'return new PublicKeyCredential()'],
  ['a getter of the prototype', 'return PublicKeyCredential.prototype.rawId'],
  [
    'parsed creation options',
    'const { challenge, user } = PublicKeyCredential.parseCreationOptionsFromJSON(json); return [challenge, user.id].map((value) => value instanceof ArrayBuffer && value.byteLength)',
  ],
  ['creation options that lack members', 'return PublicKeyCredential.parseCreationOptionsFromJSON({})'],
  ['request options that are not base64url', 'return PublicKeyCredential.parseRequestOptionsFromJSON({ challenge: "?" })'],
  ['a signal for another site', 'return await PublicKeyCredential.signalUnknownCredential({ rpId: "example.org", credentialId: "AAAA" })'],
  ['a signal without its members', 'return await PublicKeyCredential.signalAllAcceptedCredentials({ rpId: "localhost" })'],
  [
    'a signal for this site',
    'return typeof await PublicKeyCredential.signalUnknownCredential({ rpId: "localhost", credentialId: "AAAA" })',
  ],
  [
    'the static methods’ answers',
    'return [await PublicKeyCredential.isConditionalMediationAvailable(), typeof await PublicKeyCredential.getClientCapabilities()]',
  ],
];

const MEMBERS = `[PublicKeyCredential, AuthenticatorResponse, AuthenticatorAttestationResponse, AuthenticatorAssertionResponse].flatMap((each) => [
  ...Object.getOwnPropertyNames(each).map((name) => each.name + '.' + name),
  ...Object.getOwnPropertyNames(each.prototype).map((name) => each.name + '#' + name)])`;

describe.skipIf(skipWithoutBrowser())('the page’s API with our authenticator, beside Chromium’s own with its virtual one', () => {
  let browser: Browser;
  let site: Target;
  const pages: Page[] = [];
  beforeAll(async () => {
    browser = await launchBrowser();
    site = await serve(() => routes({ 'GET /': () => html(200, '<!doctype html><title>Page</title>') }));
    for (const prepare of [addAuthenticator, addSoftwareAuthenticator]) {
      const page = await browser.newPage();
      await prepare(page);
      pages.push(page);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  async function resultsOf(script: string): Promise<unknown[]> {
    const results: unknown[] = [];
    for (const page of pages) {
      // A document of its own: nothing is pending in it.
      await page.goto(site.url);
      results.push(
        await page.evaluate(
          `(async () => { ${PRELUDE}; await 0; try { return await (async () => { ${script} })(); } catch (error) { return nameOf(error); } })()`,
        ),
      );
    }
    return results;
  }

  test.each(SCRIPTS)('%s', async (_, script) => {
    const [native, ours] = await resultsOf(script);
    expect(ours).toEqual(native);
  });

  test('our classes have every member that Chromium’s have', async () => {
    const [native, ours] = await resultsOf(`return ${MEMBERS}`);
    expect(native).toContain('PublicKeyCredential.parseCreationOptionsFromJSON');
    expect(ours).toEqual(expect.arrayContaining(Object(native)));
  });
});
