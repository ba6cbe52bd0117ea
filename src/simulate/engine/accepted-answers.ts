import { asObject, type JsonObject } from '../../kernel/json-value.js';
import { timestamp } from '../../kernel/schema-kit.js';
import { makeShape } from '../../kernel/shape.js';
import { decodeBase64, encodeBase64 } from '../../webauthn/base64url.js';
import type { Mismatch } from '../report/report.js';
import type { Answer } from '../target/driver.js';
import { type PreparedPasskey, readId } from './ceremony.js';
import { expectTrue } from './outcome.js';

const isId = (value: unknown) => Number.isInteger(value) && Number(value) > 0;

/** Checks our own API's response to an accepted registration: it must contain exactly the documented members. */
export function checkRegisterAnswer(answer: Answer, { body }: { readonly body: JsonObject }): Mismatch[] {
  const { passkey, ...others } = asObject(answer.json);
  const { id, label, credential_id: credentialId, created_at: createdAt, ...more } = asObject(passkey);
  const wanted = encodeBase64(decodeBase64(String(body.id))?.bytes ?? new Uint8Array());
  const unknown = Object.keys({ ...others, ...more });
  return [
    expectTrue('passkey.id', 'a positive integer', id, isId(id)),
    expectTrue('passkey.label', 'a string', label, typeof label === 'string'),
    expectTrue('passkey.credential_id', wanted, credentialId, credentialId === wanted),
    expectTrue('passkey.created_at', 'a UTC time with six fractional digits', createdAt, makeShape(timestamp).fits(createdAt)),
    expectTrue('members', 'passkey with id, label, credential_id, created_at', unknown, unknown.length === 0),
  ].flat();
}

/** Checks our own API's response to an accepted `verify` request: it must contain exactly the owner and the passkey. */
export function checkVerifyAnswer(answer: Answer, { passkey }: { readonly passkey: PreparedPasskey }): Mismatch[] {
  const { passkeeable_id: ownerId, passkeeable_type: ownerType, passkey: received, ...others } = asObject(answer.json);
  const wanted = JSON.stringify({ id: readId(passkey) });
  const unknown = Object.keys(others);
  return [
    expectTrue('passkeeable_id', 'a positive integer', ownerId, isId(ownerId)),
    expectTrue('passkeeable_type', 'a type name', ownerType, typeof ownerType === 'string' && ownerType !== ''),
    expectTrue('passkey', wanted, received, JSON.stringify(received) === wanted),
    expectTrue('members', 'no others', unknown, unknown.length === 0),
  ].flat();
}

/** Checks our own API's response to an accepted login: it must contain the user's ID, name and e-mail address. */
export function checkLoginAnswer(answer: Answer): Mismatch[] {
  const { id, name, email } = asObject(asObject(answer.json).user);
  return [
    expectTrue('user.id', 'a positive integer', id, isId(id)),
    expectTrue('user.name', 'a string', name, typeof name === 'string'),
    expectTrue('user.email', 'a string', email, typeof email === 'string'),
  ].flat();
}
