import { FLAG } from '../../../webauthn/authenticator-data.js';
import { encodeBase64url } from '../../../webauthn/base64url.js';
import { findRpId } from '../../engine/attempts.js';
import { append, attestedCredential, hashText, inOrder, setPublicKey, setRpIdHash } from '../../engine/authenticator-data-edits.js';
import { type Case, listRows, type Rows } from '../../engine/case.js';
import { authenticationCase, registrationCase } from '../../engine/ceremony-cases.js';
import { type ByteEdit, clearFlags, editInner, type RegistrationEdits, setFlags, setInner, setSignCount } from '../../engine/edits.js';
import { type LaterLoginSpec, laterLoginCase } from '../../engine/flows.js';
import { ACCEPTED, denied, refused } from '../../engine/outcome.js';
import { foreignKey } from '../../engine/signers.js';
import { notOffered, SOME_ALGORITHMS } from './public-keys.js';

/** Settings that make the credential use ES256, the algorithm of the foreign key. */
const ES256 = { authenticator: { algorithms: [-7] } } as const;

const copyOfData = (edit: ByteEdit): RegistrationEdits => ({ response: editInner('authenticatorData', edit) });
const COPIED_KEY: RegistrationEdits = { response: (response) => setInner({ publicKey: encodeBase64url(foreignKey().spki) })(response) };
const COPIED_DATA = copyOfData((bytes) => setPublicKey(foreignKey().cose)(bytes));

const COPIES =
  'For convenience, browsers send copies of parts of the attestation object (publicKey, publicKeyAlgorithm, authenticatorData). No signature covers these copies.';
const CHECKS = `${COPIES} A server that checks the copies checks nothing. Take flags, RP ID hash and algorithm from the authenticator data inside attestationObject.`;
const STORES = `${COPIES} A server that stores the key, flags or counter from a copy lets an attacker choose them. Take the credential from the authenticator data inside attestationObject, or refuse a response whose copies differ.`;

const REGISTRATIONS: readonly Case[] = [
  registrationCase({
    id: 'register.copy-of-flags',
    title: 'user presence in the unsigned copy of the authenticator data only',
    edits: { authenticatorData: clearFlags(FLAG.up), ...copyOfData(setFlags(FLAG.up)) },
    why: CHECKS,
    expected: refused('user_not_present', 'user-present'),
  }),
  registrationCase({
    id: 'register.copy-of-rp-id-hash',
    title: 'the right RP ID hash in the unsigned copy of the authenticator data only',
    edits: ({ context, options }) => ({
      authenticatorData: setRpIdHash(hashText('other-site.example')),
      ...copyOfData(setRpIdHash(hashText(findRpId(context, options.rp.id)))),
    }),
    why: CHECKS,
    expected: refused('rp_id_mismatch', 'rp-id-hash'),
  }),
  registrationCase({
    id: 'register.copy-of-algorithm',
    title: 'an algorithm that was offered in the unsigned copy only',
    browser: { authenticator: { algorithms: SOME_ALGORITHMS } },
    options: (begun) => ({ ...begun.options, pubKeyCredParams: [{ type: 'public-key', alg: notOffered(begun) }] }),
    edits: ({ options }) => ({ response: setInner({ publicKeyAlgorithm: options.pubKeyCredParams[0]?.alg }) }),
    why: CHECKS,
    expected: refused('algorithm_not_allowed', 'algorithm'),
  }),
];

type CopyRow = Pick<LaterLoginSpec, 'title' | 'registration' | 'edits'>;

/**
 * Settings shared by the logins with a forged copy. If the target already refuses the registration, no credential exists to log in with.
 */
const common = { browser: ES256, registrationMayBeRefused: true, why: STORES, tags: ['unsigned-copy'] } as const;
const WITH_FOREIGN_KEY: CopyRow['edits'] = { sign: (parts) => foreignKey().sign(parts) };

const FORGED: Rows<CopyRow> = {
  'key-of-copy': {
    title: 'a login with the key of the unsigned publicKey, which differs from the attested key',
    registration: COPIED_KEY,
  },
  'key-of-authenticator-data-copy': {
    title: 'a login with the key of the unsigned authenticatorData, which differs from the attested key',
    registration: COPIED_DATA,
  },
};

const HONEST: Rows<CopyRow> = {
  'attested-key-despite-copy': {
    title: 'a login with the attested key, from which the unsigned publicKey differed',
    registration: COPIED_KEY,
  },
  'attested-key-despite-authenticator-data-copy': {
    title: 'a login with the attested key, from which that of the unsigned authenticatorData differed',
    registration: COPIED_DATA,
  },
  'attested-key-despite-algorithm-copy': {
    title: 'a login with ES256 as attested, although the unsigned publicKeyAlgorithm said RS256',
    registration: { response: setInner({ publicKeyAlgorithm: -257 }) },
  },
  'attested-state-despite-copy': {
    title: 'a login with flags and counter as attested, although the unsigned authenticatorData had others',
    registration: copyOfData(inOrder(setFlags(FLAG.be), setSignCount(1000))),
    edits: { authenticatorData: setSignCount(5) },
  },
};

const IN_THE_LOGIN =
  'A login must be verified with the registered key. A server that takes a key from the response verifies only that the sender has some key. Look the key up by the credential ID.';

const LOGINS: readonly Case[] = [
  authenticationCase({
    id: 'login.key-in-response',
    title: 'a login that sends its own verification key as publicKey',
    browser: ES256,
    edits: () => ({
      sign: foreignKey().sign,
      response: setInner({ publicKey: encodeBase64url(foreignKey().spki), publicKeyAlgorithm: -7 }),
    }),
    why: IN_THE_LOGIN,
    expected: denied('signature_invalid', 'signature'),
  }),
  authenticationCase({
    id: 'login.key-in-authenticator-data',
    title: 'a login that sends its own verification key as attested credential data',
    browser: ES256,
    async edits({ browser }) {
      const [source] = await browser.authenticator.store.list();
      const attested = attestedCredential(source?.id ?? new Uint8Array(), foreignKey().cose);
      return { authenticatorData: inOrder(setFlags(FLAG.at), append(attested)), sign: foreignKey().sign };
    },
    why: IN_THE_LOGIN,
    expected: denied('signature_invalid', 'signature'),
  }),
];

/** Cases in which an unsigned copy of a value differs from the signed value. */
export const UNSIGNED_COPIES: readonly Case[] = [
  ...REGISTRATIONS,
  ...listRows(FORGED).map(({ what, ...row }) =>
    laterLoginCase({
      ...common,
      ...row,
      id: `login.${what}`,
      edits: WITH_FOREIGN_KEY,
      expected: denied('signature_invalid', 'signature'),
    }),
  ),
  ...listRows(HONEST).map(({ what, ...row }) =>
    laterLoginCase({ ...common, ...row, id: `login.${what}`, step: 'signature', expected: ACCEPTED }),
  ),
  ...LOGINS,
];
