import { FLAG } from '../../webauthn/authenticator-data.js';
import { acceptedLogin, acceptedVerification } from '../engine/accepted-cases.js';
import type { Case } from '../engine/case.js';
import { inStandardBase64, setFlags, setInner } from '../engine/edits.js';
import { DISCOVERABLE } from './values.js';

const OTHER_ORIGIN = 'http://localhost:9000';

export const AUTHENTICATIONS: readonly Case[] = [
  acceptedVerification({ id: 'verify.default', title: 'a verification with browser defaults' }),
  acceptedLogin({ id: 'login.default', title: 'a login with browser defaults' }),
  acceptedLogin({
    id: 'login.discoverable',
    title: 'a login without naming a credential',
    wants: { login: 'discoverable' },
    browser: DISCOVERABLE,
  }),
  acceptedVerification({
    id: 'verify.discoverable',
    title: 'a challenge of login/options, answered at verify',
    wants: { login: 'discoverable' },
    browser: DISCOVERABLE,
  }),
  acceptedLogin({
    id: 'login.without-user-verification',
    title: 'an authenticator that cannot verify its user',
    browser: { user: ['present'] },
  }),
  acceptedLogin({
    id: 'login.user-verification-required',
    title: 'user verification required and performed',
    wants: { userVerification: 'required' },
  }),
  acceptedLogin({
    id: 'login.counting',
    title: 'an authenticator with a signature counter',
    browser: { authenticator: { signCount: { kind: 'per-credential', start: 7, step: 3 } } },
  }),
  acceptedLogin({
    id: 'login.backed-up',
    title: 'a synced passkey: backup eligible and backed up',
    browser: { authenticator: { backupEligible: true, backupState: true } },
  }),
  acceptedLogin({
    id: 'login.backed-up-later',
    title: 'a passkey backed up after its registration',
    browser: { authenticator: { backupEligible: true } },
    edits: { authenticatorData: setFlags(FLAG.bs) },
  }),
  acceptedLogin({
    id: 'login.user-handle-null',
    title: 'userHandle null counts as absent',
    // §7.2 step 6: where nobody is named, the user handle must be there.
    wants: { login: 'named' },
    edits: { response: setInner({ userHandle: null }) },
  }),
  acceptedLogin({
    id: 'login.standard-base64',
    title: 'every binary member in padded standard base64',
    needs: ['api'],
    edits: { response: inStandardBase64 },
  }),
  acceptedLogin({
    id: 'login.further-origin',
    title: 'another accepted origin of the same RP ID',
    setup: { origins: [OTHER_ORIGIN] },
    browser: { page: { origin: () => OTHER_ORIGIN } },
  }),
];
