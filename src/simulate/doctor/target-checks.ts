import type { Advice } from '../../explain/lint/advice.js';
import { lintCreationOptions, lintRequestOptions } from '../../explain/lint/lint-options.js';
import { clause, count } from '../../kernel/wording.js';
import { whyNoRpId } from '../../relying-party/diagnosis/rp-id.js';
import type { Facts } from './facts.js';
import { type Checks, conclude, type Problem, skip } from './judgement.js';
import { ACCEPTED, isAccepted, type NamedOrigin, type Proof, type Tried } from './proof.js';

interface Evidence {
  readonly facts: Facts;
  readonly proof: Proof;
  readonly named: readonly NamedOrigin[];
}

/** Checks that use the registrations and logins performed at the server. */
export const TARGET_CHECKS: Checks<Evidence> = {
  ceremonies: {
    title: 'The server accepts a registration and a login of its own page.',
    fix: 'Run passkey simulate register.default login.default with the same --target and --url: it shows what was sent and received.',
    source: 'https://www.w3.org/TR/webauthn-3/#sctn-rp-operations',
    judge: ({ proof: { own } }) => conclude(listRefusals('the page', own), 'both accepted'),
  },
  options: {
    title: 'Browsers understand the options of the server as intended.',
    fix: 'Correct the named members in the code that makes the options.',
    source: 'https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson',
    judge({ proof: { creation, request }, facts: { origin, rpId } }) {
      if (creation === undefined && request === undefined) return skip('the server gave no options');
      // Whether the site of the RP ID lists an origin of another site is for the check rp-id.
      const page = whyNoRpId(rpId, origin) === undefined ? origin : undefined;
      const problems = [
        ...(creation === undefined ? [] : lintCreationOptions({ ...creation }, page)).flatMap(toProblem('registration')),
        ...(request === undefined ? [] : lintRequestOptions({ ...request }, page)).flatMap(toProblem('login')),
      ];
      return conclude(problems, 'no error and no warning in either');
    },
  },
  'user-verification': {
    title: 'The server requires no more user verification than its options ask for.',
    fix: 'Set userVerification to "required" in the options, or do not require it in the response (requireUserVerification). If the options allow it, an authenticator may skip verification, for example on a laptop whose lid is closed.',
    source: 'https://www.w3.org/TR/webauthn-3/#dom-publickeycredentialrequestoptions-userverification',
    judge({ proof: { own, unverified, creation, request } }) {
      if (!isAccepted(own)) return skip('the ceremonies of the page itself fail');
      if (unverified === undefined || (unverified.status !== 'passed' && unverified.status !== 'failed')) {
        return skip(unverified?.reason ?? 'it was not tried');
      }
      const asked = [creation?.authenticatorSelection?.userVerification, request?.userVerification].map((said) => said ?? 'preferred');
      const says = `the options say "${[...new Set(asked)].join('" and "')}"`;
      const received = unverified.mismatches[0]?.received ?? '';
      const refusals = `${says}, but the server refuses a user who was not verified (${received})`;
      return conclude(
        unverified.status === 'failed' ? [['fail', refusals]] : [],
        `${says}, and the server accepts a user who was not verified`,
      );
    },
  },
  'unknown-users': {
    title: 'Known and unknown users get the same answers.',
    fix: 'Answer an unknown user name with options of the same form, whose credentials are derived from a secret and the name. With unknownUsers "hidden" in the policy of its profile, passkey simulate shows both answers.',
    source: 'https://www.w3.org/TR/webauthn-3/#sctn-username-enumeration',
    judge({ proof: { unknownUsers } }) {
      const ran = unknownUsers.filter(({ status }) => status === 'passed' || status === 'failed');
      if (ran.length === 0) return skip(unknownUsers[0]?.reason ?? 'the profile has no login with a name');
      const problems = ran.filter(({ status }) => status === 'failed').map(({ title }): Problem => ['warn', `not the same: ${title}`]);
      return conclude(problems, `no difference in ${count(ran.length, 'comparison')}`);
    },
  },
  'named-origins': {
    title: 'The server accepts every origin that the files name.',
    fix: 'Add each origin to those that your server expects (expectedOrigin), exactly as it is written here, or remove it from the file.',
    source: 'https://www.w3.org/TR/webauthn-3/#sctn-validating-origin',
    judge({ proof: { own }, named }) {
      if (!isAccepted(own)) return skip('the ceremonies of the page itself fail');
      if (named.length === 0) return skip('the files name no other origin');
      return conclude(
        named.flatMap((each) => listRefusals(each.origin, each)),
        named.map(({ origin }) => origin).join(', '),
      );
    },
  },
};

function listRefusals(name: string, { registration, login }: Tried): Problem[] {
  return [
    ...(registration === ACCEPTED ? [] : [['fail', `${name}, registration: ${registration}`] as const]),
    ...(login === ACCEPTED ? [] : [['fail', `${name}, login: ${login}`] as const]),
  ];
}

const toProblem =
  (ceremony: string) =>
  ({ severity, pointer, message }: Advice): Problem[] =>
    severity === 'note' ? [] : [[severity === 'error' ? 'fail' : 'warn', `${ceremony} ${pointer}: ${clause(message)}`]];
