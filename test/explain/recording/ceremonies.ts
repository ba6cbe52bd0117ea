import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import type { AuthenticatorOptions } from '../../../src/authenticator/settings.js';
import { createClient } from '../../../src/client/client.js';
import type { ExplainExpectations } from '../../../src/explain/expectation-members.js';
import { type Expectations, readExpectations } from '../../../src/explain/expectations.js';
import { type ImportResult, importCeremonies } from '../../../src/explain/recording/import.js';
import { addParts, type Parts } from '../../../src/explain/recording/parts.js';
import type { JsonObject } from '../../../src/kernel/json-value.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';

export const ORIGIN = 'https://login.example.org';
export const NOW = Date.UTC(2026, 0, 15, 10, 30);

export const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));
const challengeOf = (number: number): string => encodeBase64url(new Uint8Array(32).fill(number));

/** A registration and two logins of one passkey at a relying party that is not ours: its RP ID is not the host of the page. */
export async function ceremoniesElsewhere(traits: AuthenticatorOptions = {}, origin = ORIGIN) {
  const client = createClient({
    authenticator: createAuthenticator({ signCount: { kind: 'per-credential', start: 1 }, ...traits }),
    origin,
  });
  const creation = {
    rp: { id: 'example.org', name: 'Example' },
    user: { id: 'dXNlcg', name: 'ada@example.org', displayName: 'Ada' },
    challenge: challengeOf(1),
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  };
  const registration = plain(await client.create({ publicKey: creation }));
  const requestFor = (number: number) => ({ challenge: challengeOf(number), rpId: 'example.org', userVerification: 'required' });
  const [request, secondRequest] = [requestFor(2), requestFor(3)];
  const login = plain(await client.get({ publicKey: request }));
  const secondLogin = plain(await client.get({ publicKey: secondRequest }));
  return { creation, registration, request, login, secondRequest, secondLogin };
}

export function partsFrom(...inputs: readonly unknown[]): Parts {
  const parts: Parts = { credentials: [], options: [] };
  for (const [index, input] of inputs.entries()) {
    const nothing = addParts(parts, { name: `input-${index}`, bytes: new TextEncoder().encode(JSON.stringify(input)) });
    if (nothing !== undefined) throw new Error(nothing);
  }
  return parts;
}

interface Given extends ExplainExpectations {
  readonly name?: string;
  readonly options?: readonly unknown[];
  readonly registrations?: readonly unknown[];
}

/** Imports inputs as the command line does. */
export function importFrom(
  inputs: readonly unknown[],
  { name, options = [], registrations = [], ...expectations }: Given = {},
): Promise<ImportResult> {
  const given: Expectations = readExpectations(expectations, () => NOW);
  const importing: Parameters<typeof importCeremonies>[1] = {
    given,
    name,
    tool: { tool: 'test', version: '0' },
    now: NOW,
    options: partsFrom(...options).options,
    registrations: partsFrom(...registrations).credentials,
  };
  return importCeremonies(partsFrom(...inputs), importing);
}
