import type { Fixture } from '../../src/fixture/format.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../src/webauthn/base64url.js';

/** Makes a single change to a copy of a fixture. */
export type FixtureEdit = (fixture: Fixture) => Fixture;

type InnerResponse = Record<string, unknown>;

function innerResponse(fixture: Fixture): InnerResponse {
  return fixture.response.response as InnerResponse;
}

/** Sets members of `response.response`; `undefined` removes one. */
export function editInner(members: InnerResponse): FixtureEdit {
  return (fixture) => ({
    ...fixture,
    response: { ...fixture.response, response: withMembers(innerResponse(fixture), members) },
  });
}

export function editResponse(members: Record<string, unknown>): FixtureEdit {
  return (fixture) => ({ ...fixture, response: withMembers(fixture.response, members) });
}

function withMembers(object: Record<string, unknown>, members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...object, ...members }).filter(([, value]) => value !== undefined));
}

export function bytesOf(fixture: Fixture, member: string): Uint8Array {
  return decodeBase64url(String(innerResponse(fixture)[member]));
}

export function editBytes(member: string, edit: (bytes: Uint8Array) => Uint8Array): FixtureEdit {
  return (fixture) => editInner({ [member]: encodeBase64url(edit(bytesOf(fixture, member))) })(fixture);
}

/** Edits client data as text, to keep the browser's serialization. */
export function editClientData(edit: (text: string) => string): FixtureEdit {
  return editBytes('clientDataJSON', (bytes) => new TextEncoder().encode(changed(new TextDecoder().decode(bytes), edit)));
}

function changed(text: string, edit: (text: string) => string): string {
  const result = edit(text);
  if (result === text) throw new Error(`Expected the edit to change something in ${text}.`);
  return result;
}

/** For a registration, edits it within the attestation object. */
export function editAuthenticatorData(edit: (bytes: Uint8Array) => Uint8Array): FixtureEdit {
  return (fixture) => {
    if (fixture.kind === 'authentication') return editBytes('authenticatorData', edit)(fixture);
    const editObject = editBytes('attestationObject', (bytes) => {
      const object = decodeAttestationObject(bytes);
      return encodeAttestationObject({ ...object, authData: edit(object.authData) });
    });
    return editObject(fixture);
  };
}

export function authenticatorDataOf(fixture: Fixture): Uint8Array {
  return fixture.kind === 'authentication'
    ? bytesOf(fixture, 'authenticatorData')
    : decodeAttestationObject(bytesOf(fixture, 'attestationObject')).authData;
}

export function flagsOf(fixture: Fixture): number {
  return decodeAuthenticatorData(authenticatorDataOf(fixture)).flags.byte;
}

export function editCeremony(members: (ceremony: Fixture['ceremony'], fixture: Fixture) => Partial<Fixture['ceremony']>): FixtureEdit {
  return (fixture) => ({ ...fixture, ceremony: { ...fixture.ceremony, ...members(fixture.ceremony, fixture) } });
}

/** Changes the policy, and the options to match. */
export function editPolicy(change: Partial<Fixture['ceremony']['policy']>): FixtureEdit {
  return editCeremony(({ policy, options }, { kind }) => {
    const { userVerification = policy.userVerification, algorithms = policy.algorithms } = change;
    const selection = options.authenticatorSelection as object;
    const asked =
      kind === 'authentication'
        ? { userVerification }
        : {
            authenticatorSelection: { ...selection, userVerification },
            pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
          };
    return { policy: { ...policy, ...change }, options: { ...options, ...asked } };
  });
}

export function editCredential(
  change: (credential: NonNullable<Fixture['credential']>) => Partial<NonNullable<Fixture['credential']>>,
): FixtureEdit {
  return (fixture) => {
    if (fixture.credential === undefined) throw new Error(`Expected ${fixture.name} to have a credential.`);
    return { ...fixture, credential: { ...fixture.credential, ...change(fixture.credential) } };
  };
}
