import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PasskeyError } from '../../../src/errors.js';
import { runCase } from '../../../src/simulate/engine/case.js';
import { flipBit, setInner, setMembers } from '../../../src/simulate/engine/edits.js';
import { type InProcessServer, type ServerSetup, startInProcess } from '../../../src/simulate/engine/in-process.js';
import { openRun } from '../../../src/simulate/engine/open-run.js';
import { denied, refused } from '../../../src/simulate/engine/outcome.js';
import { variantsCase } from '../../../src/simulate/engine/variants.js';
import { parseProfile } from '../../../src/simulate/target/read-profile.js';

const run = await openRun();
afterAll(() => run.close());

const fullDisk: ServerSetup['decorateStore'] = (store) => ({
  ...store,
  async insertPasskey() {
    throw new PasskeyError('store_unavailable', 'The disk is full.');
  },
});

const common = { id: 'login.x', title: 'x', expected: refused('validation_failed') };
const noType = { name: 'no type', edits: { response: setMembers({ type: undefined }) } };
const harmless = { name: 'harmless', edits: { response: setMembers({ further: 1 }) } };
const wrongSignature = { name: 'wrong signature', edits: { signature: flipBit(-1) } };

describe('in process', () => {
  test('every variant must come out as the case says, or as it says itself', async () => {
    const ours = { ...wrongSignature, ours: denied('signature_invalid', 'signature') };
    expect(await runCase(variantsCase({ ...common, variants: [noType, ours] }), run)).toEqual({ status: 'passed' });
  });

  test('names each variant that does not', async () => {
    const verdict = await runCase(variantsCase({ ...common, variants: [harmless, noType, wrongSignature] }), run);
    expect(verdict).toMatchObject({
      status: 'failed',
      mismatches: [
        { at: 'POST /api/passkeys/login: harmless', received: expect.stringMatching(/^accepted \(200\)/) },
        { at: 'POST /api/passkeys/login: wrong signature', received: '401 signature_invalid (step signature)' },
      ],
    });
  });

  test('a server that refuses an honest response afterwards has failed', async () => {
    const each = variantsCase({
      ...common,
      id: 'register.x',
      variants: [noType],
      setup: { decorateStore: fullDisk },
    });
    expect(await runCase(each, run)).toMatchObject({
      status: 'failed',
      mismatches: [{ at: 'POST /api/passkeys/register: an honest response after the variants' }],
    });
  });
});

describe('against a target that names no steps', () => {
  let server: InProcessServer;
  beforeAll(() => {
    server = startInProcess();
  });
  afterAll(() => server.close());

  /** Our own server behind a profile that sends a login only some members, and knows no codes. */
  async function openFlat(setup: ServerSetup = {}) {
    const { target, accounts } = await server.open(setup);
    const tokens: string[] = [];
    for (const name of ['one', 'two']) {
      const owner = await accounts.addOwner({ email: `${name}@example.org`, name });
      tokens.push((await accounts.createToken({ owner })).token);
    }
    const post = (path: string, json: unknown) => ({
      request: `POST /api/passkeys/${path}`,
      headers: { authorization: 'Bearer {user.token}' },
      json,
    });
    const profile = await parseProfile(
      JSON.stringify({
        format: 'passkey-target-profile',
        version: 1,
        name: 'flat',
        origin: 'http://localhost:7277',
        registrationOptions: [post('register/options', { app_name: 'flat', app_url: '{origin}' })],
        register: [post('register', { $: 'credential' })],
        authenticationOptions: [post('verify/options', { credential_id: '{registered.credentialId}' })],
        authenticate: [
          post('login', {
            id: '{credential.id}',
            rawId: '{credential.id}',
            type: 'public-key',
            response: {
              clientDataJSON: '{credential.response.clientDataJSON}',
              authenticatorData: '{credential.response.authenticatorData}',
              signature: '{credential.response.signature}',
            },
          }),
        ],
      }),
      'flat.json',
    );
    return openRun({ target: { url: target.url.href, tokens, profile } });
  }

  test('leaves out what the target is not sent, and what its requests have no place for', async () => {
    const flat = await openFlat();
    const missing = { name: 'missing', edits: { response: setInner({ signature: undefined }) } };
    try {
      const unsent = variantsCase({
        ...common,
        variants: [harmless, { name: 'rawId', edits: { response: setMembers({ rawId: 7 }) } }],
      });
      expect(await runCase(unsent, flat)).toMatchObject({
        status: 'not_applicable',
        reason: 'the profile does not send the tested values to the target',
      });
      expect(await runCase(variantsCase({ ...common, variants: [missing] }), flat)).toMatchObject({ status: 'not_applicable' });
      expect(await runCase(variantsCase({ ...common, variants: [missing, wrongSignature] }), flat)).toEqual({
        status: 'passed',
        refusal: { status: 401 },
      });
    } finally {
      await flat.close();
    }
  });

  test('an open variant may be accepted or refused, but not fail', async () => {
    const flat = await openFlat();
    try {
      const open = { ...common, open: true as const };
      expect(await runCase(variantsCase({ ...open, id: 'register.x', variants: [harmless] }), flat)).toEqual({ status: 'passed' });
      expect(await runCase(variantsCase({ ...open, variants: [wrongSignature] }), flat)).toMatchObject({ status: 'passed' });
    } finally {
      await flat.close();
    }
  });

  test('a failure of the target is never what an open variant may come to', async () => {
    const flat = await openFlat({ decorateStore: fullDisk });
    try {
      expect(await runCase(variantsCase({ ...common, id: 'register.x', open: true, variants: [noType, harmless] }), flat)).toMatchObject({
        status: 'failed',
        mismatches: [
          { at: 'POST /api/passkeys/register: harmless', expected: 'accepted or refused', received: expect.stringMatching(/^failed: 503/) },
        ],
      });
    } finally {
      await flat.close();
    }
  });
});
