import {
  browserSupportsWebAuthnAutofill,
  platformAuthenticatorIsAvailable,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { installCredentials } from '../../src/testing/credentials/install-credentials.js';
import { decodeBase64url, encodeBase64url } from '../../src/webauthn/base64url.js';
import { until } from '../until.js';
import { create, creationOptions, exceptionOf, get, install, ORIGIN, requestOptions } from './installed.js';
import { page } from './page.js';

afterEach(() => void vi.unstubAllGlobals());

const EXPECTED = { expectedOrigin: ORIGIN, expectedRPID: 'example.com' };

test('a registration and a login through @simplewebauthn/browser verify with @simplewebauthn/server', async () => {
  install({ persona: 'yubikey-5' });
  const optionsJSON = await creationOptions();
  const response = await startRegistration({ optionsJSON });
  const made = await verifyRegistrationResponse({ response, expectedChallenge: optionsJSON.challenge, ...EXPECTED });
  expect(made).toMatchObject({ verified: true, registrationInfo: { fmt: 'packed', aaguid: '2fc0579f-8113-47ea-b116-bb5a8db9202a' } });
  if (!made.verified) return;

  const { credential } = made.registrationInfo;
  const request = await requestOptions({ allowCredentials: [{ id: credential.id }] });
  const assertion = await startAuthentication({ optionsJSON: request });
  expect(
    await verifyAuthenticationResponse({ response: assertion, expectedChallenge: request.challenge, credential, ...EXPECTED }),
  ).toMatchObject({ verified: true, authenticationInfo: { credentialID: credential.id } });
});

test('@simplewebauthn/browser knows the exceptions, and fills in a passkey', async () => {
  // The library looks for fields, whether or not it asks for one.
  vi.stubGlobal('document', { querySelectorAll: () => [] });
  const credentials = install({ persona: 'icloud-keychain' });
  expect([await browserSupportsWebAuthnAutofill(), await platformAuthenticatorIsAvailable()]).toEqual([true, true]);
  const { id } = await startRegistration({ optionsJSON: await creationOptions() });
  const again = startRegistration({ optionsJSON: await creationOptions({ excludeCredentials: [{ id }] }) });
  await expect(again).rejects.toMatchObject({ code: 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' });

  const filled = startAuthentication({
    optionsJSON: await requestOptions(),
    useBrowserAutofill: true,
    verifyBrowserAutofillInput: false,
  });
  await credentials.autofill();
  expect((await filled).id).toBe(id);
  // It aborts its own earlier request.
  const left = startAuthentication({ optionsJSON: await requestOptions(), useBrowserAutofill: true, verifyBrowserAutofillInput: false });
  const aborted = expect(left).rejects.toMatchObject({ code: 'ERROR_CEREMONY_ABORTED' });
  await until(() => credentials.waiting === 1);
  expect((await startAuthentication({ optionsJSON: await requestOptions() })).id).toBe(id);
  await aborted;
});

test('what create() returns is an instance of the page’s classes, with its members', async () => {
  install({ persona: 'chrome-virtual' });
  const credential = await create();
  expect(credential).toBeInstanceOf(page.PublicKeyCredential);
  expect(credential).toBeInstanceOf(page.Credential);
  expect(credential.response).toBeInstanceOf(page.AuthenticatorAttestationResponse);
  expect(credential.response).toBeInstanceOf(page.AuthenticatorResponse);
  expect(credential.response).not.toBeInstanceOf(page.AuthenticatorAssertionResponse);
  expect(Object.prototype.toString.call(credential)).toBe('[object PublicKeyCredential]');
  const { response } = credential;
  for (const buffer of [
    credential.rawId,
    response.clientDataJSON,
    response.attestationObject,
    response.getAuthenticatorData(),
    response.getPublicKey(),
  ]) {
    expect(buffer).toBeInstanceOf(page.ArrayBuffer);
  }
  expect(credential.rawId).toBe(credential.rawId);
  expect(encodeBase64url(new Uint8Array(credential.rawId))).toBe(credential.id);
  expect([credential.type, credential.authenticatorAttachment]).toEqual(['public-key', 'platform']);
  expect([response.getTransports(), response.getPublicKeyAlgorithm()]).toEqual([['internal'], -7]);
  expect(JSON.parse(JSON.stringify(credential))).toEqual(credential.toJSON());
  expect(Object.keys(Object(credential.toJSON())).toSorted()).toEqual([
    'authenticatorAttachment',
    'clientExtensionResults',
    'id',
    'rawId',
    'response',
    'type',
  ]);
  const members: string[] = [];
  for (const member in credential) members.push(member);
  expect(members).toEqual(expect.arrayContaining(['id', 'rawId', 'response', 'authenticatorAttachment', 'toJSON']));
});

test('what get() returns is an instance too; without a user handle there is null', async () => {
  install({ persona: 'security-key-u2f' });
  const made = await page.navigator.credentials.create({
    publicKey: page.PublicKeyCredential.parseCreationOptionsFromJSON(
      await creationOptions({ authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' } }),
    ),
  });
  const assertion = await page.navigator.credentials.get({
    publicKey: {
      challenge: new Uint8Array(16),
      rpId: 'example.com',
      allowCredentials: [{ type: 'public-key', id: made.rawId }],
      userVerification: 'discouraged',
    },
  });
  expect(assertion.response).toBeInstanceOf(page.AuthenticatorAssertionResponse);
  expect(assertion.response.authenticatorData).toBeInstanceOf(page.ArrayBuffer);
  expect(assertion.response.signature).toBeInstanceOf(page.ArrayBuffer);
  expect([assertion.id, assertion.response.userHandle, assertion.authenticatorAttachment]).toEqual([made.id, null, 'cross-platform']);
});

test('extension outputs are bytes to a page, and base64url in JSON', async () => {
  install();
  const publicKey = {
    ...page.PublicKeyCredential.parseCreationOptionsFromJSON(await creationOptions()),
    extensions: { credProps: true, prf: { eval: { first: new Uint8Array([1]) } } },
  };
  const credential = await page.navigator.credentials.create({ publicKey });
  const { credProps, prf } = Object(credential.getClientExtensionResults());
  expect(credProps).toEqual({ rk: expect.any(Boolean) });
  expect(prf.results.first).toBeInstanceOf(page.ArrayBuffer);
  expect(Object(credential.toJSON()).clientExtensionResults.prf.results.first).toBe(encodeBase64url(new Uint8Array(prf.results.first)));
});

test('a security key evaluates its PRF for a page, another output for each input', async () => {
  install({ persona: 'yubikey-5' });
  const options = page.PublicKeyCredential.parseCreationOptionsFromJSON(await creationOptions());
  const made = await page.navigator.credentials.create({ publicKey: { ...options, extensions: { prf: {} } } });
  expect(Object(made.getClientExtensionResults()).prf).toEqual({ enabled: true });
  async function evaluate(input: number): Promise<string> {
    const assertion = await page.navigator.credentials.get({
      publicKey: {
        challenge: new Uint8Array(16),
        rpId: 'example.com',
        allowCredentials: [{ type: 'public-key', id: made.rawId }],
        extensions: { prf: { eval: { first: Uint8Array.of(input) } } },
      },
    });
    return encodeBase64url(new Uint8Array(Object(assertion.getClientExtensionResults()).prf.results.first));
  }
  const [one, other, again] = [await evaluate(1), await evaluate(2), await evaluate(1)];
  expect(one).toMatch(/^[\w-]{43}$/);
  expect(again).toBe(one);
  expect(other).not.toBe(one);
});

test('the constructors are illegal to a page, and a getter refuses another receiver', () => {
  install();
  const names = [
    'PublicKeyCredential',
    'AuthenticatorAttestationResponse',
    'AuthenticatorAssertionResponse',
    'AuthenticatorResponse',
    'Credential',
  ] as const;
  for (const name of names) {
    expect(() => new page[name]()).toThrow(new TypeError('Illegal constructor'));
  }
  expect(() => Reflect.get(page.PublicKeyCredential.prototype, 'id')).toThrow(TypeError);
});

test('the static methods tell what the authenticator can do', async () => {
  const platform = install({ persona: 'icloud-keychain' });
  expect(await page.PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()).toBe(true);
  expect(await page.PublicKeyCredential.isConditionalMediationAvailable()).toBe(true);
  expect(await page.PublicKeyCredential.getClientCapabilities()).toMatchObject({
    conditionalGet: true,
    hybridTransport: true,
    passkeyPlatformAuthenticator: true,
    relatedOrigins: false,
    signalUnknownCredential: true,
    'extension:prf': true,
    'extension:credProps': true,
    'extension:uvm': false,
  });
  platform.uninstall();
  install({ persona: 'security-key-u2f' });
  expect(await page.PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable()).toBe(false);
  expect(await page.PublicKeyCredential.isConditionalMediationAvailable()).toBe(false);
});

test('parse…OptionsFromJSON() gives buffers, and throws what browsers throw', async () => {
  install();
  const json = await creationOptions({ excludeCredentials: [{ id: 'AQID' }] });
  const parsed = Object(page.PublicKeyCredential.parseCreationOptionsFromJSON(json));
  expect(parsed.challenge).toBeInstanceOf(page.ArrayBuffer);
  expect(new Uint8Array(parsed.challenge)).toEqual(decodeBase64url(json.challenge));
  expect(new Uint8Array(parsed.excludeCredentials[0].id)).toEqual(new Uint8Array([1, 2, 3]));
  expect(() => page.PublicKeyCredential.parseRequestOptionsFromJSON({})).toThrow(TypeError);
  expect(() => page.PublicKeyCredential.parseRequestOptionsFromJSON({ challenge: '?' })).toThrow(
    expect.objectContaining({ name: 'EncodingError' }),
  );
});

test('the signal methods reach the authenticator', async () => {
  const credentials = install({ traits: { signalled: 'remove' } });
  const { id } = await create();
  await page.PublicKeyCredential.signalUnknownCredential({ rpId: 'example.com', credentialId: id });
  expect(await credentials.credentials.list()).toEqual([]);
  expect(await exceptionOf(page.PublicKeyCredential.signalUnknownCredential({ rpId: 'example.org', credentialId: id }))).toBe(
    'SecurityError',
  );
  await expect(page.PublicKeyCredential.signalCurrentUserDetails({ rpId: 'example.com' })).rejects.toThrow(TypeError);
});

test('credentials are listed, exported, removed, added and imported', async () => {
  const { credentials } = install();
  const { id } = await create();
  const [held] = await credentials.list('example.com');
  expect(held).toMatchObject({ id, rpId: 'example.com', user: { name: 'ada' } });
  const text = await credentials.export();
  expect([await credentials.remove(id), await credentials.remove(id)]).toEqual([true, false]);
  expect(await exceptionOf(get())).toBe('NotAllowedError');
  if (held) await credentials.add(held);
  expect((await get()).id).toBe(id);
  await credentials.remove(id);
  await credentials.import(text);
  expect((await get()).id).toBe(id);
});

test('options that are not what a page must give are refused with the member’s name', async () => {
  install();
  await expect(page.navigator.credentials.get({ publicKey: { challenge: 'AAAA' } })).rejects.toThrow(
    new TypeError('Expected challenge to be an ArrayBuffer or a view of one; got string.'),
  );
  await expect(page.navigator.credentials.create({ publicKey: { challenge: new Uint8Array(16) } })).rejects.toThrow(TypeError);
  await expect(page.navigator.credentials.get({ publicKey: 7 })).rejects.toThrow(
    new TypeError('Expected publicKey to be an object; got number.'),
  );
  await expect(get({ signal: {} })).rejects.toThrow(new TypeError('Expected signal to be an AbortSignal; got object.'));
  expect(await exceptionOf(page.navigator.credentials.create({ password: {} }))).toBe('NotSupportedError');
  expect(await page.navigator.credentials.get({})).toBeNull();
});

test.each([
  [{ crossOrigin: true }, { crossOrigin: true }],
  [{ topOrigin: 'https://top.example' }, { crossOrigin: true, topOrigin: 'https://top.example' }],
  [{}, { crossOrigin: false }],
])('the place of the page is that of the options: %j', async (place, expected) => {
  install(place);
  const { response } = await create();
  const { crossOrigin, topOrigin } = JSON.parse(new TextDecoder().decode(response.clientDataJSON));
  expect({ crossOrigin, ...(topOrigin && { topOrigin }) }).toEqual(expected);
});

test('without an origin, that of the page’s location counts', async () => {
  vi.stubGlobal('location', new URL('http://localhost:3000/login'));
  const credentials = installCredentials();
  onTestFinished(credentials.uninstall);
  expect(await exceptionOf(create())).toBe('SecurityError');
  expect(credentials.calls[0]?.origin).toBe('http://localhost:3000');
});

test('supported: false leaves no WebAuthn at all; uninstall puts everything back', async () => {
  vi.stubGlobal('navigator', {});
  const before = ['PublicKeyCredential', 'AuthenticatorResponse', 'Credential', 'CredentialsContainer', 'isSecureContext'].map(
    (name) => name in globalThis,
  );
  const unsupported = install({ supported: false });
  expect([page.PublicKeyCredential, page.navigator.credentials]).toEqual([undefined, undefined]);
  await expect(startRegistration({ optionsJSON: await creationOptions() })).rejects.toThrow('WebAuthn is not supported in this browser');
  unsupported.uninstall();
  const again = install();
  expect([typeof page.PublicKeyCredential, typeof page.navigator.credentials, page.isSecureContext]).toEqual(['function', 'object', true]);
  again.uninstall();
  again.uninstall();
  expect(
    ['PublicKeyCredential', 'AuthenticatorResponse', 'Credential', 'CredentialsContainer', 'isSecureContext'].map(
      (name) => name in globalThis,
    ),
  ).toEqual(before);
  expect('credentials' in page.navigator).toBe(false);
});

test('wrong options are refused with what to do', () => {
  install();
  expect(() => installCredentials()).toThrow(
    /^Expected no software authenticator behind navigator\.credentials yet; .* Call its uninstall\(\) first\.$/,
  );
  const elsewhere = { target: {} };
  expect(() => installCredentials(elsewhere)).toThrow('Expected an origin, such as "https://example.com"');
  expect(() => installCredentials({ ...elsewhere, origin: 'https://example.com/login' })).toThrow('Give "https://example.com".');
  expect(() => installCredentials({ ...elsewhere, persona: 'yubikey' as 'yubikey-5' })).toThrow(
    /^Expected persona to be one of icloud-keychain, /,
  );
});
