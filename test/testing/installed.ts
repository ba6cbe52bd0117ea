import type { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { generateAuthenticationOptions, generateRegistrationOptions } from '@simplewebauthn/server';
import { expect, onTestFinished } from 'vitest';
import { type InstallOptions, installCredentials } from '../../src/testing/credentials/install-credentials.js';
import { page } from './page.js';

export const ORIGIN = 'https://example.com';

/** Until the test is over. */
export function install(options: InstallOptions = {}) {
  const credentials = installCredentials({ origin: ORIGIN, ...options });
  onTestFinished(credentials.uninstall);
  return credentials;
}

/** As it comes from a server. */
async function sent<T>(options: Promise<object>): Promise<T> {
  const json: T = JSON.parse(JSON.stringify(await options));
  return json;
}

export const creationOptions = (more: object = {}) =>
  sent<Parameters<typeof startRegistration>[0]['optionsJSON']>(
    generateRegistrationOptions({ rpName: 'Example', rpID: 'example.com', userName: 'ada', attestationType: 'direct', ...more }),
  );
export const requestOptions = (more: object = {}) =>
  sent<Parameters<typeof startAuthentication>[0]['optionsJSON']>(generateAuthenticationOptions({ rpID: 'example.com', ...more }));

export async function create(more: object = {}) {
  const publicKey = page.PublicKeyCredential.parseCreationOptionsFromJSON(await creationOptions());
  return await page.navigator.credentials.create({ publicKey, ...more });
}

export async function get(more: object = {}) {
  const publicKey = page.PublicKeyCredential.parseRequestOptionsFromJSON(await requestOptions());
  return await page.navigator.credentials.get({ publicKey, ...more });
}

/** The exception of a page: its class and its name. */
export async function exceptionOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(page.DOMException);
  return Object(error).name;
}
