import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** What somebody's project may say, with the types of TypeScript's DOM library and of another WebAuthn library. */
const CONSUMER = `
import { type AuthenticationResponseJSON as AuthenticationJson, generateAuthenticationOptions, generateRegistrationOptions, type RegistrationResponseJSON as RegistrationJson, type WebAuthnCredential, verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import {
  type Authenticator,
  type AuthenticatorOptions,
  type CredentialSource,
  createAuthenticator,
  credentialSourceFromJson,
  credentialSourceToJson,
  PERSONAS,
  type SoftwareAuthenticator,
  scriptedUser,
} from 'passkey-cli/authenticator';
import { type Client, createClient, type ExtensionOutputs, withPublicKey } from 'passkey-cli/client';
import { PasskeyError } from 'passkey-cli/errors';
import { annotate, explain, type ExplainDocument, type ExplainExpectations, type TreeDocument } from 'passkey-cli/explain';
import { createRelyingParty } from 'passkey-cli/relying-party';
import { type AppOptions, buildApp, DEFAULT_SETTINGS, listen } from 'passkey-cli/server';
import { type AccountStore, createAccounts } from 'passkey-cli/accounts';
import { simulate } from 'passkey-cli/simulate';
import { createMemoryStore, openStore, type Store } from 'passkey-cli/store';
import { type BrowserCredentials, createCeremonies, installCredentials, mutations, startServer, tamper, toWebauthnJson } from 'passkey-cli/testing';
import { addSoftwareAuthenticator, passkeyFixtures } from 'passkey-cli/testing/playwright';
import { test as base, type BrowserContext } from '@playwright/test';
import { type AuthenticatorTransport, decodeAuthenticatorData, decodeBase64url, parseAaguid, TRANSPORTS } from 'passkey-cli/webauthn';
import { isRegistrableSuffix } from 'passkey-cli/webauthn/registrable-suffix';

const options: AuthenticatorOptions = { ...PERSONAS['yubikey-5'], aaguid: parseAaguid('fbfc3007-154e-4ecc-8c0b-6e020557d7bd'), userVerifier: scriptedUser('verified') };
const authenticator: SoftwareAuthenticator = createAuthenticator(options);
const port: Authenticator = authenticator;
const client: Client = createClient({ authenticator: port, origin: 'https://example.com' });

export async function withAnotherLibrary(): Promise<boolean> {
  const expected = { expectedOrigin: 'https://example.com', expectedRPID: 'example.com' };
  const creation = await generateRegistrationOptions({ rpName: 'Example', rpID: 'example.com', userName: 'ada' });
  const response = await client.create({ publicKey: creation, signal: new AbortController().signal });
  const made = await verifyRegistrationResponse({ response, expectedChallenge: creation.challenge, ...expected });
  if (!made.verified) return false;
  const request = await generateAuthenticationOptions({ rpID: 'example.com', allowCredentials: [{ id: response.id, transports: response.response.transports }] });
  const assertion = await client.get({ publicKey: request });
  const { credential } = made.registrationInfo;
  return (await verifyAuthenticationResponse({ response: assertion, expectedChallenge: request.challenge, ...expected, credential })).verified;
}

export async function asTheBrowser(creation: PublicKeyCredentialCreationOptionsJSON, request: PublicKeyCredentialRequestOptionsJSON) {
  const created: RegistrationResponseJSON = await client.create({ publicKey: creation });
  const asserted: AuthenticationResponseJSON = await client.get({ publicKey: request });
  return { created, asserted };
}

export async function keyFromPasskey(): Promise<string | undefined> {
  const publicKey = { challenge: 'AAAA', extensions: { prf: { eval: { first: 'AAAA' } } } };
  const { prf }: ExtensionOutputs = (await client.get({ publicKey })).clientExtensionResults;
  return prf?.results?.first;
}

export async function credentials(): Promise<CredentialSource[]> {
  return (await authenticator.store.list()).map((source) => credentialSourceFromJson(credentialSourceToJson(source)));
}

export const pageTest = base.extend(passkeyFixtures);
pageTest.use({ softwareAuthenticatorOptions: { persona: 'yubikey-5', user: scriptedUser('present') } });
pageTest('logs in', async ({ page, softwareAuthenticator }) => {
  await page.goto('/');
  softwareAuthenticator.next('cancelled', 'already-registered');
  await softwareAuthenticator.autofill({ pick: ([newest]) => newest });
});

export async function behindPages(context: BrowserContext): Promise<readonly BrowserCredentials[]> {
  return [installCredentials({ origin: 'https://example.com', authenticator }), await addSoftwareAuthenticator(context, { persona: 'titan' })];
}

const expectations: ExplainExpectations = { rpId: 'example.com', origin: ['https://example.com'], challenge: 'AAAA', at: new Date() };

export async function explained(credential: RegistrationResponseJSON): Promise<string> {
  const { verdict, steps, tree }: ExplainDocument = await explain(credential, expectations);
  const same: TreeDocument = tree ?? annotate(credential);
  return [verdict, same.label, ...steps.map(({ slug, hint }) => hint ?? slug)].join();
}

interface PasswordlessRegistration {
  id: string;
  rawId: string;
  type: string;
  response: { attestationObject: string; authenticatorData: string; clientDataJSON: string; publicKey: string; publicKeyAlgorithm: number; transports: (AuthenticatorTransport | 'smart-card')[] };
}

interface GithubAssertion {
  id: string;
  rawId: string;
  type: 'public-key';
  authenticatorAttachment?: AuthenticatorAttachment | null;
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string | null };
}

interface GithubAttestation {
  type: 'public-key';
  response: { clientDataJSON: string; attestationObject: string; transports: DomTransport[] };
}

type DomTransport = 'ble' | 'hybrid' | 'internal' | 'nfc' | 'usb';

export async function inTests(theirs: RegistrationJson, login: AuthenticationJson, github: GithubAssertion) {
  await using server = await startServer({ users: ['ada@example.com', { email: 'bob@example.com', name: 'Bob' }] });
  const tokens: string[] = [server.tokens['ada@example.com'], server.tokens['bob@example.com']];
  const ceremonies = createCeremonies({ origin: server.url, persona: 'yubikey-5' });
  const { response } = await ceremonies.registration(await generateRegistrationOptions({ rpName: 'Example', rpID: 'localhost', userName: 'ada' }));
  const { response: assertion, stored } = await ceremonies.authentication(await generateAuthenticationOptions({ rpID: 'localhost' }));
  const passwordless: PasswordlessRegistration = withPublicKey(response);
  const browser: [RegistrationResponseJSON, AuthenticationResponseJSON] = [await tamper(response, 'origin-other-site'), assertion];
  const forGithub: [GithubAttestation, GithubAssertion] = [toWebauthnJson(response), toWebauthnJson(assertion)];
  const others: [RegistrationJson, AuthenticationJson, WebAuthnCredential] = [response, assertion, stored];
  const changed: [RegistrationJson, AuthenticationJson, GithubAssertion] = [
    await tamper(theirs, 'origin-other-site'),
    await tamper(login, 'signature-bit'),
    await tamper(github, mutations('authentication')[0]?.id ?? ''),
  ];
  return { tokens, passwordless, browser, forGithub, others, changed };
}

export const others = [PasskeyError, createRelyingParty, buildApp, listen, simulate, openStore, decodeBase64url];
`;

/** Compiler options of a project that is as strict as can be; "DOM" alone is the least that the package's types need. */
export const STRICT_OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'es2023',
  lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
  types: ['node'],
};

/** A project that imports the package, for the tests of a file. Returns what its compiler says of it. */
export function consumerProject() {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'passkey-consumer-'));
    for (const scope of ['@simplewebauthn', '@playwright']) mkdirSync(join(folder, 'node_modules', scope), { recursive: true });
    symlinkSync(root, join(folder, 'node_modules/passkey-cli'));
    const needed = ['@simplewebauthn/server', '@playwright/test'];
    for (const name of needed) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module' }));
    writeFileSync(join(folder, 'consumer.ts'), CONSUMER);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  return (resolution: { readonly module: string; readonly moduleResolution: string; readonly skipLibCheck: boolean }): string => {
    const compilerOptions = {
      ...STRICT_OPTIONS,
      typeRoots: [join(root, 'node_modules/@types')],
      ...resolution,
    };
    const project = join(folder, `tsconfig.${resolution.moduleResolution}.json`);
    writeFileSync(project, JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    return run(folder, process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
  };
}

/** What a program prints, also when it fails. */
function run(cwd: string, file: string, args: readonly string[]): string {
  try {
    return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}
