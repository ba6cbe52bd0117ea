import { type AuthenticationSpec, authenticationCase } from './authentication-case.js';
import { type Case, denied, refused } from './case.js';
import { type RegistrationSpec, registrationCase } from './registration-case.js';
import { otherRawId, setInner, setMembers } from './response-edits.js';

const registration = (id: string, title: string, edits: RegistrationSpec['edits'] & object): Case =>
  registrationCase({ id, title, tags: ['shape'], edits, expected: refused('validation_failed') });

const authentication = (id: string, title: string, edits: AuthenticationSpec['edits'] & object): Case =>
  authenticationCase({ id, title, tags: ['shape'], edits, expected: denied('validation_failed', undefined, 422) });

/** Refused before the procedure begins, as the field that is wrong tells. */
export const INVALID_SHAPES: readonly Case[] = [
  registration('register.raw-id-other', 'rawId differs from id', { response: otherRawId }),
  registration('register.raw-id-missing', 'there is no rawId', { response: setMembers({ rawId: undefined }) }),
  registration('register.type-other', 'type is not public-key', { response: setMembers({ type: 'password' }) }),
  registration('register.id-not-base64', 'id has a character outside both alphabets', { response: setMembers({ id: 'a*b' }) }),
  registration('register.client-data-missing', 'there is no clientDataJSON', { response: setInner({ clientDataJSON: undefined }) }),
  registration('register.attestation-object-number', 'the attestation object is a number', {
    response: setInner({ attestationObject: 5 }),
  }),
  registration('register.label-too-long', 'a label of 256 characters', { response: setMembers({ label: 'x'.repeat(256) }) }),
  registration('register.id-empty', 'an empty id', { response: setMembers({ id: '', rawId: '' }) }),
  authentication('login.raw-id-other', 'rawId differs from id', { response: otherRawId }),
  authentication('login.type-other', 'type is not public-key', { response: setMembers({ type: 'password' }) }),
  authentication('login.id-not-base64', 'id has a character outside both alphabets', { response: setMembers({ id: 'a*b' }) }),
  authentication('login.signature-missing', 'there is no signature', { response: setInner({ signature: undefined }) }),
  authentication('login.signature-not-base64', 'the signature is no base64', { response: setInner({ signature: 'a b' }) }),
  authentication('login.response-missing', 'there is no response', { response: setMembers({ response: undefined }) }),
  authentication('login.user-handle-number', 'the user handle is a number', { response: setInner({ userHandle: 7 }) }),
];
