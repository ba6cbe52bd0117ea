import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type InProcessServer, type ServerUnderTest, startInProcess } from '../../src/simulate/engine/in-process.js';
import { simulate } from '../../src/simulate/simulate.js';
import { newTokens, runAgainstSilly, SILLY_ANSWERS } from './remote-server.js';

let inProcess: InProcessServer;
let server: ServerUnderTest;
beforeEach(async () => {
  inProcess = startInProcess();
  server = await inProcess.open();
});
afterEach(() => inProcess.close());

/** Said where another case that runs at the same time has registered a passkey. */
const BESIDE = 'the user still has passkeys from earlier cases';

describe('the whole catalogue against a running server', () => {
  test('runs what needs neither its clock nor its store, and leaves no live passkey behind', async () => {
    const tokens = await newTokens(server);
    const report = await simulate({ fixtures: [], version: '0.0.0', target: { url: server.target.url.href, tokens } });
    expect(report.results.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(report.target).toBe(server.target.url.origin);
    expect(report.summary.passed).toBeGreaterThan(100);
    expect(report.summary.passed + report.summary.not_applicable).toBe(report.summary.total);
    const reasons = new Set(report.results.flatMap(({ reason }) => reason ?? []));
    expect([...reasons].toSorted().filter((reason) => !reason.startsWith('the target does not offer ') && reason !== BESIDE)).toEqual([
      'a bearer token names the user',
      'correct relying parties differ, and has.policy does not say what this one does (unknownUsers)',
      'list sends a bearer token that is valid in every browser',
      "needs access to the server's store",
      'needs its own policy on the server',
      'needs its own server settings',
      "needs to set the server's clock",
      'no account request of the profile opens an account with only the user’s name',
      'not judged: the profile does not say how to lock, disable or unverify a user (gates)',
      'not judged: the profile does not say which authenticator models may register (models)',
      'registrationOptions sends a bearer token that is valid in every browser',
      'remove sends a bearer token that is valid in every browser',
      'rename sends a bearer token that is valid in every browser',
      'the RP ID is not a subdomain',
      'the account requests of the profile do not sign a user in (whoami)',
      'the host of the origin has no dot',
      'the profile does not say how a signed-in user confirms who they are (stepUp)',
      'the profile does not say how a user gets back into an account without a passkey (recover)',
      'the profile does not say how a user signs in with a password (password)',
      'the profile says that the target does not do this (has.policy.lastPasskey)',
      'the target accepts registrations without attestation (formats), which its policy may allow',
      'the target asks for attestation "none", and its profile cannot request "direct"',
      'the target asks for user verification "preferred", and its profile cannot request "discouraged"',
      'the target asks for user verification "preferred", and its profile cannot request "required"',
      'the target does not accept additional origins',
      'the target does not accept any top-level origin',
      'the target does not trust the root of `passkey attestation-root`',
      'the target stores its challenges: its options carry no token that holds one',
    ]);
    expect(await server.store.listPasskeys()).toEqual([]);
  });

  test.each(SILLY_ANSWERS)('passes nothing against one that answers 200 and %s to everything', async (body) => {
    const { summary } = await runAgainstSilly(body, { tokens: await newTokens(server) });
    expect(summary.passed).toBe(0);
    expect(summary.failed + summary.not_judged).toBeGreaterThan(100);
  });
});
