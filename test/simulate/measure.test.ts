import { X509Certificate } from 'node:crypto';
import { expect } from 'vitest';
import { createAttestationAuthority } from '../../src/authenticator/attestation/authority.js';
import { asObject } from '../../src/kernel/json-value.js';
import type { HttpTarget } from '../../src/simulate/http/http.js';
import { measure } from '../../src/simulate/measure.js';
import { probe } from '../../src/simulate/probe.js';
import { openDriver } from '../../src/simulate/target/open-driver.js';
import { writeCapabilities } from '../../src/simulate/target/read-profile.js';
import { connect, readIndependentProfile, URL_OF_PARTY } from '../independent/catalogue.js';
import type { FaultId } from '../independent/faults.js';
import type { Policy } from '../independent/party.js';
import { createIndependentParty } from '../independent/server.js';
import { quick, thorough } from '../thorough.js';

interface Asked {
  /** What every registration asks for. */
  readonly attestation?: string;
  readonly policy?: Partial<Policy>;
  /** As the profile says. */
  readonly formats?: string[];
  readonly through?: (target: HttpTarget) => HttpTarget;
}

/** Spends the challenge of a refused login, whatever the target does with it. */
function spendingLogins(target: HttpTarget): HttpTarget {
  const spent = new Set<unknown>();
  return {
    ...target,
    async send(request) {
      if (new URL(request.path, URL_OF_PARTY).pathname !== '/api/passkeys/login') return target.send(request);
      const { response } = asObject(JSON.parse(String(request.body)));
      const { challenge } = asObject(JSON.parse(Buffer.from(String(asObject(response)['clientDataJSON']), 'base64url').toString()));
      if (spent.has(challenge)) return { status: 401, headers: {}, text: '{}', json: {} };
      const answer = await target.send(request);
      if (answer.status >= 400) spent.add(challenge);
      return answer;
    },
  };
}

async function measured(faults: readonly FaultId[], { attestation, policy = {}, formats, through = (target) => target }: Asked = {}) {
  const roots = [new X509Certificate(createAttestationAuthority().root)];
  const party = createIndependentParty({ faults: new Set(faults), policy, roots, now: Date.now }, () => URL_OF_PARTY.origin);
  const { profile, where } = await readIndependentProfile();
  const { users, logins, asks } = profile.has ?? {};
  const bare = {
    ...profile,
    has: { ...(users && { users }), ...(logins && { logins }), ...(asks && { asks }), ...(formats && { formats }) },
  };
  const asking =
    attestation === undefined
      ? bare
      : JSON.parse(JSON.stringify(bare).replace('"$":"ask.attestation?"', `"$":"ask.attestation | default ${attestation}"`));
  const target = {
    url: URL_OF_PARTY.href,
    connections: through(connect(party)),
    tokens: party.tokens,
    profile: { where, profile: asking },
  };
  const driver = openDriver(target);
  const { found, steps } = await probe({ driver, url: target.url, ...target.profile });
  return { steps, has: found.has, members: await measure({ target, found }) };
}

const valuesOf = ({ members }: Awaited<ReturnType<typeof measured>>) =>
  Object.fromEntries(members.map(({ member, value }) => [member, value]));

quick('a target is measured by cases, whatever its profile says, and each value has its evidence', async () => {
  const correct = await measured([]);
  expect(valuesOf(correct)).toEqual({
    formats: ['none', 'packed', 'tpm', 'android-key', 'android-safetynet', 'apple', 'fido-u2f', 'compound'],
    algorithms: [-7, -257],
    userVerification: 'preferred',
    selfAttestation: false,
    counter: 'refuse',
    afterRefusal: 'spent',
    publicKeys: 'checked',
  });
  expect(correct.members.find(({ member }) => member === 'counter')?.evidence).toBe('refused login.counter-regressed');
  expect(correct.members[0]?.evidence).toMatch(/^accepted register\.attested-packed-x5c, .+ and 4 more; refused register\.packed-es256$/);
});

quick('an interruption measures nothing', async () => {
  const party = createIndependentParty({ faults: new Set(), roots: [] }, () => URL_OF_PARTY.origin);
  const { profile, where } = await readIndependentProfile();
  const target = { url: URL_OF_PARTY.href, connections: connect(party), tokens: party.tokens, profile: { where, profile } };
  const driver = openDriver(target);
  const { found } = await probe({ driver, url: target.url, ...target.profile });
  const stop = new AbortController();
  const measuring = measure({ target, found, signal: stop.signal });
  stop.abort();
  await expect(measuring).rejects.toMatchObject({ code: 'interrupted' });
});

quick('a target that decides otherwise is measured so', async () => {
  const lax = await measured([
    'counter-unchecked',
    'challenge-kept-after-failure',
    'key-not-imported',
    'rs256-refused',
    'second-passkey-refused',
  ]);
  expect(valuesOf(lax)).toMatchObject({
    algorithms: [-7],
    userVerification: 'preferred',
    passkeys: 1,
    counter: 'ignore',
    afterRefusal: 'kept',
    publicKeys: 'unchecked',
  });
});

quick('a member whose cases contradict each other has no value, and says which cases', async () => {
  const { members } = await measured(['challenge-kept-after-failure'], { through: spendingLogins });
  expect(members.find(({ member }) => member === 'afterRefusal')).toEqual({
    member: 'afterRefusal',
    evidence: 'accepted register.challenge-spent-by-failure; refused login.challenge-spent-by-failure',
  });
  const text = JSON.stringify({ name: 'shop', has: { afterRefusal: 'spent', counter: 'ignore' } });
  const { has } = JSON.parse(await writeCapabilities(text, 'shop.json', members));
  expect(has).toMatchObject({ afterRefusal: 'spent', counter: 'refuse' });
});

quick('a target that asks for less user verification than it takes has no value, and the evidence says so', async () => {
  const { members } = await measured(['get-uv-demanded']);
  expect(members.find(({ member }) => member === 'userVerification')).toEqual({
    member: 'userVerification',
    evidence:
      'the options do not say "required", but the server refuses users who were not verified; refused login.without-user-verification',
  });
});

thorough('a target that refuses attestation none is measured with another', async () => {
  const strict = await measured([], { attestation: 'direct' });
  expect(strict.steps.map(({ name }) => name)).toContain('registration with attestation packed-x5c, since none is refused');
  expect(valuesOf(strict)).toMatchObject({
    formats: ['packed', 'tpm', 'android-key', 'android-safetynet', 'apple', 'fido-u2f', 'compound'],
    algorithms: [-7, -257],
    userVerification: 'preferred',
    afterRefusal: 'spent',
  });
});

thorough('a target that takes one format only is probed with it where the profile says so', async () => {
  const asked = { attestation: 'direct', formats: ['tpm'], policy: { formats: ['tpm'] } };
  const { steps, ...others } = await measured([], asked);
  expect(steps.map(({ name, status, said }) => [name, status, said])).toContainEqual(['registration', 'passed', expect.any(String)]);
  expect(steps.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(valuesOf({ steps, ...others })).toMatchObject({
    formats: ['tpm'],
    algorithms: [-7, -257],
    counter: 'refuse',
    afterRefusal: 'spent',
  });
});

thorough('a target that refuses every certificate and takes self attestation is measured so', async () => {
  const policy = { formats: ['packed'], trust: 'certificates-refused', selfAttestation: 'accept' } as const;
  const { steps, has, members } = await measured([], { attestation: 'direct', policy });
  expect(has).toMatchObject({ trust: 'other' });
  expect(steps.map(({ name }) => name)).toContain('registration with attestation packed, since none is refused');
  expect(valuesOf({ steps, has, members })).toMatchObject({
    formats: ['packed'],
    selfAttestation: true,
    algorithms: [-7, -257],
    counter: 'refuse',
    afterRefusal: 'spent',
  });
});
