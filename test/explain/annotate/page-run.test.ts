import { expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { annotate, explain, explainAll } from '../../../src/explain/library.js';
import { runToJson } from '../../../src/page/export.js';
import type { BrowserLeg, HttpLeg, Run } from '../../../src/page/run.js';
import type { JsonObject } from '../../../src/webauthn/json-value.js';

const ORIGIN = 'http://localhost:7277';
const CHALLENGE = 'AAECAwQFBgcICQoLDA0ODw';
const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));

function http(path: string, body: JsonObject, answer: JsonObject): HttpLeg {
  return {
    kind: 'http',
    requestId: 'page-1',
    method: 'POST',
    path,
    body,
    bearer: true,
    status: 200,
    answer,
    failure: undefined,
    milliseconds: 1.25,
  };
}

/** A registration as the page shows it: two requests, and between them the call of the browser. */
async function registrationRun(mediation?: 'conditional'): Promise<Run> {
  const options = {
    rp: { id: 'localhost', name: 'Test' },
    user: { id: 'AQ', name: 'ada', displayName: 'Ada' },
    challenge: CHALLENGE,
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    authenticatorSelection: { residentKey: 'required', userVerification: mediation === undefined ? 'required' : 'preferred' },
  };
  const client = createClient({ authenticator: createAuthenticator(), origin: ORIGIN });
  const response = await client.create({ publicKey: options, ...(mediation !== undefined && { mediation }) });
  const call: BrowserLeg = {
    kind: 'browser',
    call: 'create',
    mediation,
    options: plain(options),
    response: plain(response),
    error: undefined,
    milliseconds: 3,
    software: undefined,
  };
  const legs = [
    http('/dev/register/options', {}, plain(options)),
    call,
    http('/api/passkeys/register', plain(response), { passkey: { id: 1 } }),
  ];
  return {
    id: 1,
    title: 'Register',
    kind: 'registration',
    startedAt: Date.UTC(2026, 0, 15),
    legs,
    outcome: 'verified',
    summary: 'Done.',
    offer: undefined,
  };
}

const exported = (run: Run) => JSON.stringify(runToJson(run, ORIGIN, 'Test/1.0'));

test('a run that the page copied is held against its own options, at its own time', async () => {
  const document = await explain(exported(await registrationRun()));
  expect(document).toMatchObject({ input: { kind: 'page-run' }, ceremony: 'registration', verdict: 'accepted', error: null });
  expect(document.steps.filter(({ status }) => status === 'fail')).toEqual([]);
  expect(document.steps.find(({ slug }) => slug === 'user-verified')).toMatchObject({ status: 'pass' });
});

test('a conditional create of the page may do without a touch', async () => {
  const document = await explain(exported(await registrationRun('conditional')));
  expect(document).toMatchObject({ ceremony: 'registration', verdict: 'accepted' });
});

test('another challenge than that of the options is a failed step', async () => {
  const run = await registrationRun();
  const legs = run.legs.map((leg) =>
    leg.kind === 'browser' ? { ...leg, options: { ...leg.options, challenge: 'AAAAAAAAAAAAAAAAAAAAAA' } } : leg,
  );
  const [document] = await explainAll(exported({ ...run, legs }), { challenge: 'AAAAAAAAAAAAAAAAAAAAAA' });
  expect(document?.steps.find(({ status }) => status === 'fail')).toMatchObject({ slug: 'challenge' });
});

test('a run that the browser refused shows what it was asked', async () => {
  const run = await registrationRun();
  const legs = run.legs.slice(0, 2).map((leg) => (leg.kind === 'browser' ? { ...leg, response: undefined } : leg));
  const tree = annotate(exported({ ...run, legs }));
  expect(tree).toMatchObject({
    label: 'run of the test page',
    children: [{ label: 'create(), options', value: 'creation options', note: ORIGIN }],
  });
});
