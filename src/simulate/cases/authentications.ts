import { FLAG } from '../../webauthn/authenticator-data.js';
import { acceptedLogin, acceptedVerification } from '../engine/both-ceremonies.js';
import type { Case } from '../engine/case.js';
import { inPaddedBase64url, inStandardBase64, setInner, toggleFlags } from '../engine/edits.js';
import { DISCOVERABLE, LENIENT } from './values.js';

const OTHER_ORIGIN = 'http://localhost:9000';

export const AUTHENTICATIONS: readonly Case[] = [
  acceptedVerification({
    id: 'verify.default',
    title: 'a verification with browser defaults',
    why: 'The plain check of an assertion, without a login.',
  }),
  acceptedLogin({
    id: 'login.default',
    title: 'a login with browser defaults',
    why: 'What an up-to-date browser sends. Where this is refused, nobody can log in: look at the failed step before anything else.',
  }),
  acceptedLogin({
    id: 'login.discoverable',
    title: 'a login without naming a credential',
    why: 'Autofill and the passkey button name no credential: the user is found by credential ID and user handle (§7.2 step 6).',
    wants: { login: 'discoverable' },
    browser: DISCOVERABLE,
  }),
  acceptedVerification({
    id: 'verify.discoverable',
    title: 'a challenge of login/options, answered at verify',
    why: 'One challenge without a named credential serves both endpoints.',
    wants: { login: 'discoverable' },
    browser: DISCOVERABLE,
  }),
  acceptedLogin({
    id: 'login.without-user-verification',
    title: 'an authenticator that cannot verify its user',
    why: 'With userVerification "preferred", a security key without a PIN answers with the UV flag clear. Refuse that only where your options said "required" (§7.2 step 17).',
    browser: { user: ['present'] },
  }),
  acceptedLogin({
    id: 'login.user-verification-required',
    title: 'user verification required and performed',
    why: 'Asking for user verification and then refusing a response that has it locks everybody out. Read the UV flag, bit 2 of the flags.',
    wants: { userVerification: 'required' },
  }),
  acceptedLogin({
    id: 'login.counting',
    title: 'an authenticator with a signature counter',
    why: 'Counters may grow by any step. Compare with the stored value, and store the new one (§7.2 step 22).',
    browser: { authenticator: { signCount: { kind: 'per-credential', start: 7, step: 3 } } },
  }),
  acceptedLogin({
    id: 'login.backed-up',
    title: 'a synced passkey: backup eligible and backed up',
    why: 'Nearly every passkey of a phone is synced: BE and BS are both set, at every login.',
    browser: { authenticator: { backupEligible: true, backupState: true } },
  }),
  acceptedLogin({
    id: 'login.backed-up-later',
    title: 'a passkey whose backup state has changed since its registration',
    why: 'A passkey is often backed up only after its registration. BS may change; BE alone must stay as it was (§7.2 step 19).',
    browser: { authenticator: { backupEligible: true } },
    edits: { authenticatorData: toggleFlags(FLAG.bs) },
  }),
  acceptedLogin({
    id: 'login.user-handle-null',
    title: 'userHandle null counts as absent',
    why: 'Browsers send null, or leave the member out, when the authenticator returns no user handle. Where the credential was named, that is fine.',
    // §7.2 step 6: where nobody is named, the user handle must be there.
    wants: { login: 'named' },
    edits: { response: setInner({ userHandle: null }) },
  }),
  acceptedLogin({
    id: 'login.standard-base64',
    title: 'every binary member in padded standard base64',
    ...LENIENT,
    edits: { response: inStandardBase64 },
  }),
  acceptedLogin({
    id: 'login.padded-base64',
    title: 'every binary member in padded base64url',
    ...LENIENT,
    edits: { response: inPaddedBase64url },
  }),
  acceptedLogin({
    id: 'login.further-origin',
    title: 'another accepted origin of the same RP ID',
    why: 'One RP ID often serves several origins, an app and its administration for example.',
    setup: { origins: [OTHER_ORIGIN] },
    browser: { page: { origin: () => OTHER_ORIGIN } },
  }),
];
