import type { Case } from '../engine/case.js';
import { type AuthenticationSpec, authenticationCase, type RegistrationSpec, registrationCase } from '../engine/ceremony-cases.js';
import { refused } from '../engine/compare-answer.js';
import { otherRawId, setInner, setMembers } from '../engine/edits.js';

const shapeOfRegistration = (id: string, title: string, edits: NonNullable<RegistrationSpec['edits']>): Case =>
  registrationCase({ id, title, tags: ['shape'], edits, expected: refused('validation_failed') });

const shapeOfAuthentication = (id: string, title: string, edits: NonNullable<AuthenticationSpec['edits']>): Case =>
  authenticationCase({ id, title, tags: ['shape'], edits, expected: refused('validation_failed') });

/** Malformed bodies, refused before the procedure begins. */
export const INVALID_SHAPES: readonly Case[] = [
  shapeOfRegistration('register.raw-id-other', 'a rawId that differs from id', { response: otherRawId }),
  shapeOfRegistration('register.raw-id-missing', 'no rawId', { response: setMembers({ rawId: undefined }) }),
  shapeOfRegistration('register.type-other', 'a type other than public-key', { response: setMembers({ type: 'password' }) }),
  shapeOfRegistration('register.id-not-base64', 'an id with a character outside both alphabets', { response: setMembers({ id: 'a*b' }) }),
  shapeOfRegistration('register.client-data-missing', 'no clientDataJSON', { response: setInner({ clientDataJSON: undefined }) }),
  shapeOfRegistration('register.attestation-object-number', 'a number as attestation object', {
    response: setInner({ attestationObject: 5 }),
  }),
  registrationCase({
    id: 'register.label-too-long',
    title: 'a label of 256 characters',
    tags: ['shape'],
    // A member of our own; to others it is one that they do not know.
    needs: ['api'],
    edits: { response: setMembers({ label: 'x'.repeat(256) }) },
    expected: refused('validation_failed'),
  }),
  shapeOfRegistration('register.id-empty', 'an empty id', { response: setMembers({ id: '', rawId: '' }) }),
  shapeOfAuthentication('login.raw-id-other', 'a rawId that differs from id', { response: otherRawId }),
  shapeOfAuthentication('login.type-other', 'a type other than public-key', { response: setMembers({ type: 'password' }) }),
  shapeOfAuthentication('login.id-not-base64', 'an id with a character outside both alphabets', { response: setMembers({ id: 'a*b' }) }),
  shapeOfAuthentication('login.signature-missing', 'no signature', { response: setInner({ signature: undefined }) }),
  shapeOfAuthentication('login.signature-not-base64', 'a signature that is not base64', { response: setInner({ signature: 'a b' }) }),
  shapeOfAuthentication('login.response-missing', 'no response', { response: setMembers({ response: undefined }) }),
  shapeOfAuthentication('login.user-handle-number', 'a number as user handle', { response: setInner({ userHandle: 7 }) }),
];
