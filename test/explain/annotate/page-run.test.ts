import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { annotate, explain, explainAll } from '../../../src/explain/library.js';
import type { JsonObject } from '../../../src/kernel/json-value.js';
import { runToJson } from '../../../src/page/ceremony-file.js';
import type { BrowserLeg, HttpLeg, Run, SignalLeg } from '../../../src/page/run.js';

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

const EXPECTED = { rpId: 'localhost', origin: ORIGIN };

test('a run that the page copied is held against its own options, at its own time, beside the answer of the server', async () => {
  const document = await explain(exported(await registrationRun()), EXPECTED);
  expect(document).toMatchObject({ input: { kind: 'page-run' }, ceremony: 'registration', verdict: 'accepted', error: null });
  expect(document.server).toMatchObject({ status: 200, verdict: 'accepted', agrees: true });
  expect(document.steps.find(({ slug }) => slug === 'user-verified')).toMatchObject({ status: 'pass' });
});

test('a conditional create of the page may do without a touch', async () => {
  const document = await explain(exported(await registrationRun('conditional')), { ...EXPECTED, requireUserVerification: false });
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

describe('every run that the page copies is taken', () => {
  const refusal = { code: 'rate_limited', title: 'Too many requests', detail: 'Wait 3 s.' };
  const refused: HttpLeg = { ...http('/dev/register/options', {}, refusal), status: 429 };
  const gone: HttpLeg = { ...http('/dev/login/options', {}, {}), status: undefined, failure: 'The server did not answer.' };
  const explanation = { title: 'Cancelled', causes: ['You cancelled.'], next: 'Try again.' };
  const error = { name: 'NotAllowedError', message: 'The operation was cancelled.', explanation };
  const signal: SignalLeg = { kind: 'signal', method: 'signalUnknownCredential', options: {}, outcome: 'sent', detail: undefined };
  const base = { id: 1, title: 'Register', startedAt: 0, summary: '', offer: undefined } as const;
  const rows: readonly [what: string, Pick<Run, 'kind' | 'outcome' | 'legs'>, children: readonly object[]][] = [
    [
      'refused at its options',
      { kind: 'registration', outcome: 'rejected', legs: [refused] },
      [{ label: 'POST /dev/register/options', value: '429 rate_limited', note: 'Wait 3 s.' }],
    ],
    [
      'not answered by the server',
      { kind: 'authentication', outcome: 'failed', legs: [gone] },
      [{ label: 'POST /dev/login/options', value: 'not answered', note: 'The server did not answer.' }],
    ],
    [
      'of a revoked passkey, with a signal',
      { kind: 'other', outcome: 'verified', legs: [http('/api/passkeys/1', {}, {}), signal] },
      [{ label: 'signalUnknownCredential', value: 'sent' }],
    ],
    ['that failed before its first request', { kind: 'registration', outcome: 'failed', legs: [] }, []],
  ];
  test.each(rows)('%s', async (_, run, children) => {
    const document = await explain(exported({ ...base, ...run }));
    expect(document).toMatchObject({ input: { kind: 'page-run' }, ceremony: null, verdict: null, error: null });
    expect(document.tree?.children).toMatchObject(children);
    expect(document.tree?.children).toHaveLength(children.length);
  });

  test('cancelled in the browser', async () => {
    const whole = await registrationRun();
    const legs = whole.legs.slice(0, 2).map((leg) => (leg.kind === 'browser' ? { ...leg, response: undefined, error } : leg));
    const document = await explain(exported({ ...whole, outcome: 'browser-error', legs }));
    expect(document).toMatchObject({ verdict: null, error: null });
    expect(document.tree?.children).toMatchObject([
      { label: 'create(), options' },
      { label: 'create(), error', value: 'NotAllowedError', note: 'The operation was cancelled.' },
    ]);
  });

  test('with a signal after its verdict', async () => {
    const whole = await registrationRun();
    const document = await explain(exported({ ...whole, legs: [...whole.legs, signal] }));
    expect(document).toMatchObject({ ceremony: 'registration', verdict: 'undecided' });
  });
});
