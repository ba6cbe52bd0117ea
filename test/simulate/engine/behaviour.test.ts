import { expect, test } from 'vitest';
import {
  type Behaviour,
  compareBehaviour,
  extensionInputs,
  extensionsShown,
  preparationInputs,
  readBehaviour,
  selectionFor,
} from '../../../src/simulate/engine/behaviour.js';
import { ScenarioEnded } from '../../../src/simulate/engine/scenario.js';
import { creation, ORIGIN, request, setUp } from '../../client/ceremony.js';
import { recordSoftwareCeremonies } from '../software-ceremonies.js';

const { registration, login } = await recordSoftwareCeremonies();

const AAGUID = Uint8Array.from({ length: 16 }, (_, at) => at + 1);

/** What a login in the browser's own page by a platform authenticator reveals. */
const LOGIN: Behaviour = {
  userPresent: true,
  userVerified: true,
  backupEligible: false,
  backupState: false,
  signCount: 0,
  extensions: [],
  protection: undefined,
  attachment: 'platform',
  crossOrigin: false,
  topOrigin: undefined,
  attested: undefined,
  withUserHandle: true,
};

test('a response reveals what its authenticator and its page are like', async () => {
  const traits = { aaguid: AAGUID, backupEligible: true, backupState: true, signCount: { kind: 'global', start: 7 } } as const;
  const framed = setUp(
    { ...traits, attestation: 'packed-x5c', attachment: 'cross-platform', transports: ['usb', 'nfc'], credentialIdLength: 48 },
    { origin: ORIGIN, crossOrigin: true, topOrigin: 'https://top.example' },
  );
  const options = creation({
    attestation: 'direct',
    extensions: { credentialProtectionPolicy: 'userVerificationRequired', minPinLength: true },
  });
  const created = await framed.client.create({ publicKey: options });
  expect((await framed.authenticator.store.list()).map(({ id }) => id.length)).toEqual([48]);
  expect(readBehaviour({ ...created })).toMatchObject({
    ...LOGIN,
    backupEligible: true,
    backupState: true,
    signCount: expect.any(Number),
    extensions: ['credProtect'],
    protection: 3,
    attachment: 'cross-platform',
    crossOrigin: true,
    topOrigin: 'https://top.example',
    attested: {
      aaguid: '01020304-0506-0708-090a-0b0c0d0e0f10',
      algorithm: -7,
      credentialIdLength: 48,
      transports: ['nfc', 'usb'],
      format: 'packed',
      certified: true,
    },
    withUserHandle: false,
  });
});

test('a login reveals less, and so does what lacks members', async () => {
  const { client } = setUp({ alwaysDiscoverable: true });
  const { response: created, ...members } = await client.create({ publicKey: creation() });
  const assertion = await client.get({ publicKey: request({ userVerification: 'required' }) });
  expect(readBehaviour({ ...assertion })).toEqual(LOGIN);
  const { authenticatorAttachment: _, ...bare } = assertion;
  const { userHandle: __, ...inner } = assertion.response;
  expect(readBehaviour({ ...bare, response: inner })).toEqual({ ...LOGIN, attachment: undefined, withUserHandle: false });
  const { transports: ___, ...others } = created;
  expect(readBehaviour({ ...members, response: others }).attested).toEqual({
    aaguid: '00000000-0000-0000-0000-000000000000',
    algorithm: -7,
    credentialIdLength: 32,
    transports: [],
    format: 'none',
    certified: false,
  });
});

test('two responses are compared in all that they reveal, but not in what the first does not', () => {
  const attested = {
    aaguid: 'a',
    algorithm: -7,
    credentialIdLength: 32,
    transports: ['usb'],
    format: 'packed',
    certified: true,
  };
  const registering = { ...LOGIN, attested, withUserHandle: false };
  const other = { ...attested, algorithm: -8, credentialIdLength: 16, format: 'none', certified: false };
  const at = (recorded: Behaviour, rebound: Behaviour, same = true) =>
    compareBehaviour(recorded, rebound, same).map(({ at: place, expected, received }) => [place, expected, received]);
  expect(at(LOGIN, LOGIN)).toEqual([]);
  expect(at(LOGIN, { ...LOGIN, withUserHandle: false, signCount: 1 })).toEqual([
    ['behaviour: signCount', '0', '1'],
    ['behaviour: withUserHandle', 'true', 'false'],
  ]);
  expect(at({ ...LOGIN, withUserHandle: false }, { ...LOGIN, topOrigin: 'https://top.example', protection: 2 })).toEqual([]);
  expect(at({ ...LOGIN, protection: 2 }, LOGIN)).toEqual([['behaviour: protection', '2', 'nothing']]);
  const algorithm = ['behaviour: algorithm', '-7', '-8'];
  expect(at(registering, { ...registering, attested: other }, false)).toEqual([algorithm]);
  expect(at(registering, { ...registering, attested: other })).toEqual([algorithm, ['behaviour: format', '"packed"', '"none"']]);
});

test('the extensions of an authenticator are those that it signed, and those that leave no trace', () => {
  const without = extensionsShown(LOGIN);
  expect(without).toContain('prf');
  const secret = extensionsShown({ ...LOGIN, extensions: ['hmac-secret', 'credProtect'] });
  expect(secret.filter((id) => !without.includes(id))).toEqual(['credProtect', 'hmac-secret']);
  expect(without.filter((id) => !secret.includes(id))).toEqual(['prf']);
});

test('extensions are asked for again with the new credential and the recorded protection', () => {
  const asking = (extensions: object | undefined) => {
    const { extensions: _, ...options } = login.ceremony.options;
    return { ...login, ceremony: { ...login.ceremony, options: { ...options, ...(extensions && { extensions }) } } };
  };
  const by = { prf: { evalByCredential: { old: { first: 'AQ' } } } };
  expect(extensionInputs(asking(undefined), LOGIN)).toBeUndefined();
  expect(extensionInputs(asking(by), LOGIN)).toEqual(by);
  expect(extensionInputs(asking(by), LOGIN, ['old', 'new'])).toEqual({ prf: { evalByCredential: { new: { first: 'AQ' } } } });
  const enforcing = { credentialProtectionPolicy: 'userVerificationRequired', enforceCredentialProtectionPolicy: true };
  expect([undefined, 1, 2, 3].map((protection) => extensionInputs(asking(enforcing), { ...LOGIN, protection }))).toEqual([
    {},
    { credentialProtectionPolicy: 'userVerificationOptional' },
    { credentialProtectionPolicy: 'userVerificationOptionalWithCredentialIDList', enforceCredentialProtectionPolicy: true },
    enforcing,
  ]);
  expect(extensionInputs(asking(undefined), { ...LOGIN, protection: 3 })).toEqual({
    credentialProtectionPolicy: 'userVerificationRequired',
  });
  expect(preparationInputs(asking(undefined))).toBeUndefined();
  expect(preparationInputs(asking({ prf: {}, largeBlob: { read: true }, getCredBlob: true }))).toEqual({
    prf: {},
    largeBlob: { support: 'preferred' },
    credBlob: 'AQ',
  });
  expect(preparationInputs(asking({ prf: true, largeBlob: true, getCredBlob: 'x' }))).toBeUndefined();
});

test('a selection is as strict as the protection of the credential needs', () => {
  const select = (policy: string | undefined, residentKey: 'required' | 'discouraged', userVerified = true) => {
    const fixture = { ...registration, ceremony: { ...registration.ceremony, policy: { ...registration.ceremony.policy, residentKey } } };
    return selectionFor(policy === undefined ? undefined : { credentialProtectionPolicy: policy }, fixture, { ...LOGIN, userVerified });
  };
  const { userVerification } = registration.ceremony.policy;
  expect(select(undefined, 'required')).toEqual({});
  expect(select('another', 'required')).toEqual({});
  expect(select('userVerificationRequired', 'required')).toEqual({ residentKey: 'required', userVerification: 'required' });
  expect(select('userVerificationOptional', 'required')).toEqual({ residentKey: 'required', userVerification });
  expect(select('userVerificationOptional', 'discouraged')).toEqual({ residentKey: 'preferred', userVerification });
  expect(select('userVerificationOptionalWithCredentialIDList', 'discouraged')).toEqual({ residentKey: 'discouraged', userVerification });
  expect(() => select('userVerificationRequired', 'required', false)).toThrow(ScenarioEnded);
});
