import { algorithmName } from '../../webauthn/cose-key.js';
import { acceptedLogin, acceptedVerification } from './authentications.js';
import { ACCEPTED, type Case } from './case.js';
import { registrationCase } from './registration-case.js';
import { checkPasskeyAnswer } from './registrations.js';

/** COSEAlgorithmIdentifiers that both sides know. */
const ALGORITHMS = [-7, -8, -257, -35, -36, -37, -38, -39, -258, -259] as const;

/** Offered by the default policy (API.md 2). */
const BY_DEFAULT: readonly number[] = [-7, -257];

/** Registration, verification, login and discoverable login with one algorithm. */
function casesOf(algorithm: number): Case[] {
  const name = algorithmName(algorithm);
  const what = name.toLowerCase();
  const common = {
    tags: ['algorithm', what],
    actor: { authenticator: { algorithms: [algorithm], alwaysDiscoverable: true } },
    // The others need a policy that offers them.
    ...(!BY_DEFAULT.includes(algorithm) && { room: { policy: { algorithms: [algorithm] } } }),
  };
  return [
    registrationCase({
      ...common,
      id: `register.${what}`,
      title: `registration with ${name}`,
      expected: ACCEPTED,
      check: checkPasskeyAnswer,
    }),
    acceptedVerification({ ...common, id: `verify.${what}`, title: `verification with ${name}` }),
    acceptedLogin({ ...common, id: `login.${what}`, title: `login with ${name}` }),
    acceptedLogin({ ...common, id: `login.discoverable-${what}`, title: `discoverable login with ${name}`, from: 'login/options' }),
  ];
}

const selfAttested = ([-7, -8, -257] as const).map((algorithm) =>
  registrationCase({
    id: `register.packed-${algorithmName(algorithm).toLowerCase()}`,
    title: `packed self attestation with ${algorithmName(algorithm)}`,
    tags: ['algorithm', 'attestation', algorithmName(algorithm).toLowerCase()],
    room: { policy: { attestation: 'direct', algorithms: [algorithm] } },
    actor: { authenticator: { algorithms: [algorithm], attestation: 'packed' } },
    expected: ACCEPTED,
    check: checkPasskeyAnswer,
  }),
);

export const ALGORITHM_CASES: readonly Case[] = [...ALGORITHMS.flatMap(casesOf), ...selfAttested];
