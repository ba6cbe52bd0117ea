import { sameBytes } from '../bytes.js';
import { OID } from '../certificate.js';
import { importKey, keyFits, signatureFits } from '../cose.js';
import { children, type Der, onlyDer, toNumber } from '../der.js';
import { algorithmOf, bytesOf, chainOf, demand, type StatementInput, sameKey, signedData, type Verified, wrong } from './statement.js';

/** Tags of AuthorizationList, and values that §8.4 asks for. */
const PURPOSE = 1;
const ALL_APPLICATIONS = 600;
const ORIGIN = 702;
const KM_PURPOSE_SIGN = 2;
const KM_ORIGIN_GENERATED = 0;

/** §8.4. */
export function verifyAndroidKey(input: StatementInput): Verified {
  const { statement, attested, client, party } = input;
  const { faults } = party;
  const alg = algorithmOf(statement);
  const chain = chainOf(statement);
  const [leaf] = chain;
  const signed = { alg, key: leaf.publicKey, data: signedData(input), signature: bytesOf(statement, 'sig') };
  const signs = keyFits(alg, leaf.publicKey) && signatureFits(signed, party);
  demand(signs || faults.has('android-key-signature-unchecked'), 'sig is not by the certificate');
  const same = sameKey(leaf.publicKey, importKey(attested.key, party));
  demand(same || faults.has('android-key-public-key-unchecked'), 'the certificate is of another key than the credential');

  const extension = leaf.extensions.get(OID.androidKeyDescription) ?? wrong('the certificate does not describe its key');
  checkDescription(children(onlyDer(extension.value)), client.hash, input);
  return { type: 'certificate', x5c: chain };
}

function checkDescription(description: readonly Der[], clientDataHash: Buffer, { party: { faults } }: StatementInput): void {
  const [challenge, , software, tee] = description.slice(4);
  if (challenge === undefined || software === undefined || tee === undefined) wrong('the description of the key is cut');
  const fits = sameBytes(challenge.content, clientDataHash);
  demand(fits || faults.has('android-key-challenge-unchecked'), 'attestationChallenge is of another registration');

  const lists = [tee, software].map(children);
  const [inTee = []] = lists;
  const either = lists.flat();
  const isFor = (tag: number) => (one: Der) => one.tagClass === 2 && one.tag === tag;
  const open = (faults.has('android-key-all-applications-software') ? inTee : either).some(isFor(ALL_APPLICATIONS));
  demand(!open || faults.has('android-key-all-applications'), 'the key is open to all applications');

  const authorized = faults.has('android-key-software-refused') ? inTee : either;
  const origins = authorized.filter(isFor(ORIGIN)).map(({ content }) => toNumber(onlyDer(content)));
  const generated = origins.length > 0 && origins.every((origin) => origin === KM_ORIGIN_GENERATED);
  demand(generated || faults.has('android-key-origin-unchecked'), 'the key was not made where it is kept');
  const purposes = authorized.filter(isFor(PURPOSE)).flatMap(({ content }) => children(onlyDer(content)).map(toNumber));
  demand(purposes.includes(KM_PURPOSE_SIGN) || faults.has('android-key-purpose-unchecked'), 'the key is not for signing');
}
