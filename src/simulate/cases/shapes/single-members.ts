import { MAX_TEXT_LENGTH } from '../../../kernel/limits.js';
import { type Case, type CaseSpec, listRows, type Rows, withTag } from '../../engine/case.js';
import { authenticationCase, registrationCase } from '../../engine/ceremony-cases.js';
import { type CommonEdits, otherRawId, setInner, setMembers } from '../../engine/edits.js';
import { refused } from '../../engine/outcome.js';

/**
 * A response with one wrong member. If the row needs `api`, the standard's procedures do not read this member, so targets other than our
 * own API may ignore it.
 */
interface Row extends Omit<CaseSpec, 'id'> {
  readonly response: NonNullable<CommonEdits['response']>;
}

const BOTH: Rows<Row> = {
  'raw-id-other': {
    title: 'a rawId that differs from id',
    why: 'id and rawId must stand for the same bytes (§5.1). If you check one but store or look up the other, the sender can use two different credentials. Compare them.',
    response: otherRawId,
  },
  'type-other': {
    title: 'a type other than public-key',
    why: 'Only public-key credentials prove possession of a key. Compare type with "public-key".',
    response: setMembers({ type: 'password' }),
  },
  'id-not-base64': {
    needs: ['api'],
    title: 'an id with a character outside both alphabets',
    why: 'A string that is not base64url is not a credential ID. A decoder that skips such characters lets many strings stand for one ID.',
    response: setMembers({ id: 'a*b' }),
  },
};

const REGISTRATIONS: Rows<Row> = {
  'raw-id-missing': {
    needs: ['api'],
    title: 'no rawId',
    why: 'Browsers always send rawId. Check the members before you use them.',
    response: setMembers({ rawId: undefined }),
  },
  'client-data-missing': {
    title: 'no clientDataJSON',
    why: 'Without client data neither challenge nor origin is checked. Refuse the response.',
    response: setInner({ clientDataJSON: undefined }),
  },
  'attestation-object-number': {
    title: 'a number as attestation object',
    why: 'Check that the member is a string before you decode it.',
    response: setInner({ attestationObject: 5 }),
  },
  'label-too-long': {
    title: 'a label of 256 characters',
    needs: ['api'],
    why: 'Labels of unlimited length fill the database and the screen. Limit the length of a label.',
    response: setMembers({ label: 'x'.repeat(MAX_TEXT_LENGTH + 1) }),
  },
  'id-empty': {
    needs: ['api'],
    title: 'an empty id',
    why: 'A credential ID has at least 16 bytes (§4). An empty one may match any credential.',
    response: setMembers({ id: '', rawId: '' }),
  },
};

const AUTHENTICATIONS: Rows<Row> = {
  'signature-missing': {
    title: 'no signature',
    why: 'Without a signature nothing is proved. Refuse the response before you verify it.',
    response: setInner({ signature: undefined }),
  },
  'signature-not-base64': {
    title: 'a signature that is not base64',
    why: 'Check that the signature decodes. If the verifier throws, refuse the login.',
    response: setInner({ signature: 'a b' }),
  },
  'response-missing': {
    title: 'no response',
    why: 'Without a response nothing is proved. Check that "response" is there before you read its members.',
    response: setMembers({ response: undefined }),
  },
  'user-handle-number': {
    title: 'a number as user handle',
    why: 'A user handle is a base64url string. Check its type before you compare or decode it.',
    response: setInner({ userHandle: 7 }),
  },
};

const toSpecs = (ceremony: string, rows: Rows<Row>) =>
  listRows(rows).map(({ what, response, ...row }) => ({
    ...row,
    id: `${ceremony}.${what}`,
    edits: { response },
    expected: refused('validation_failed'),
  }));

/** Cases with one wrong member in the response JSON, which our server refuses before it verifies anything. */
export const SINGLE_MEMBERS: readonly Case[] = [
  ...toSpecs('register', { ...BOTH, ...REGISTRATIONS }).map(registrationCase),
  ...toSpecs('login', { ...BOTH, ...AUTHENTICATIONS }).map(authenticationCase),
].map(withTag('shape'));
