import { DEFAULT_POLICY } from '../../relying-party/policy.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import type { Case } from '../engine/case.js';
import { authenticationCase, both, registrationCase } from '../engine/ceremony-cases.js';
import { FOREIGN_ROOT } from './values.js';

/** COSE algorithm identifiers that both the software authenticator and our server support. */
const ALGORITHMS = [-7, -8, -257, -35, -36, -37, -38, -39, -258, -259] as const;

/** Fully-specified COSE algorithm identifiers (RFC 9864). Each also has an older, polymorphic identifier. */
const FULLY_SPECIFIED = [-9, -51, -52, -19] as const;

/** Makes a registration and a login with an algorithm that also has an older identifier. */
function toAliasCases(algorithm: number): Case[] {
  const name = algorithmName(algorithm);
  const tag = name.toLowerCase();
  return both({
    what: tag,
    title: `the algorithm ${name}`,
    tags: ['algorithm', tag],
    browser: { authenticator: { algorithms: [algorithm] } },
    wants: { algorithms: [algorithm] },
    why: 'A server that offers an algorithm must accept it. A server that knows only the older, polymorphic identifier locks out authenticators that chose this one.',
  });
}

/**
 * Makes cases for one algorithm: a registration, a login, an authentication without a session, and a login with a discoverable credential.
 */
function toCases(algorithm: number): Case[] {
  const name = algorithmName(algorithm);
  const tag = name.toLowerCase();
  const common = {
    title: `the algorithm ${name}`,
    tags: ['algorithm', tag],
    browser: { authenticator: { algorithms: [algorithm], alwaysDiscoverable: true } },
    why: `A server that offers ${name} in pubKeyCredParams gets credentials that use it, and has to verify their signatures. Offer only algorithms that you can verify.`,
    wants: DEFAULT_POLICY.algorithms.includes(algorithm) ? {} : { algorithms: [algorithm] },
  };
  return [
    ...both({ ...common, what: tag }),
    authenticationCase({ ...common, id: `verify.${tag}` }),
    authenticationCase({
      ...common,
      wants: { ...common.wants, login: 'discoverable' },
      id: `login.discoverable-${tag}`,
      title: `the algorithm ${name}, without naming a credential`,
    }),
  ];
}

const SELF_ATTESTED = ([-7, -8, -257] as const).map((algorithm) => {
  const name = algorithmName(algorithm);
  const tag = name.toLowerCase();
  return registrationCase({
    id: `register.packed-${tag}`,
    title: `packed self attestation with ${name}`,
    why: 'An authenticator may use self attestation with any algorithm that you offer. Verify it with the credential key and the algorithm of that key (§8.2).',
    tags: ['algorithm', 'attestation', tag],
    wants: { attestation: 'direct', algorithms: [algorithm], format: 'packed', selfAttestation: true },
    browser: { authenticator: { algorithms: [algorithm], attestation: 'packed' } },
  });
});

/**
 * Registers with self attestation at a server with configured roots. Roots do not restrict self attestation, and the default policy accepts
 * it.
 */
const SELF_ATTESTED_WITH_ROOTS = registrationCase({
  id: 'register.packed-with-roots',
  title: 'packed self attestation with roots configured',
  why: 'Roots are for certificates. Whether self attestation is acceptable is a separate setting (§7.1 step 24).',
  tags: ['attestation'],
  setup: { policy: { attestation: 'direct', attestationRoots: [FOREIGN_ROOT] } },
  wants: { selfAttestation: true },
  browser: { authenticator: { attestation: 'packed' } },
});

export const ALGORITHM_CASES: readonly Case[] = [
  ...ALGORITHMS.flatMap(toCases),
  ...FULLY_SPECIFIED.flatMap(toAliasCases),
  ...SELF_ATTESTED,
  SELF_ATTESTED_WITH_ROOTS,
];
