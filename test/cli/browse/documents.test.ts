import { expect, test } from 'vitest';
import { recordCeremony } from '../../../src/browse/recording.js';
import { writeBrowsed } from '../../../src/cli/browse/document.js';
import { toStream } from '../../../src/cli/browse/site.js';
import { ACCEPTED, BEGUN, challengeOf, ORIGIN, openSite, REFUSED, RP_ID } from './browsed.js';

const record = (ceremony: Parameters<typeof recordCeremony>[0]) =>
  recordCeremony(ceremony, { tool: { tool: 'passkey browse', version: '0.0.0' }, now: BEGUN + 90 });

test('a ceremony that the site has answered: its document, and its entry on the page', async () => {
  const { perform, answerer } = openSite({ persona: 'yubikey-5' });
  await perform('create', { answered: ACCEPTED });
  answerer.choose({ tamper: 'login.signature-bit' });
  const ceremony = await perform('get', { answered: REFUSED });
  const written = writeBrowsed(ceremony);
  expect(written).toMatchObject({
    at: '2026-01-15T10:30:05.000000Z',
    ceremony: 'authentication',
    origin: ORIGIN,
    cross_origin: false,
    persona: 'yubikey-5',
    tamper: 'login.signature-bit',
    options: { challenge: challengeOf(2), rpId: RP_ID, userVerification: 'required' },
    response: { type: 'public-key' },
    error: null,
    request: { method: 'POST', url: `${ORIGIN}/finish` },
    explanation: { verdict: 'rejected', server: { status: 403, verdict: 'refused', agrees: true } },
  });
  const recorded = await record(ceremony);
  expect(toStream(ceremony, recorded, BEGUN + 70)).toMatchObject({
    at: BEGUN,
    endedAt: BEGUN + 70,
    entry: {
      kind: 'authentication',
      state: 'rejected',
      rp_id: RP_ID,
      origins: [ORIGIN],
      software: { persona: 'yubikey-5', tamper: 'login.signature-bit' },
      browser: null,
      status: 403,
      message: expect.stringContaining('this shop is closed'),
      site: ORIGIN,
    },
    outside: {
      options: { challenge: challengeOf(2) },
      response: { type: 'public-key' },
      explanation: { verdict: 'rejected' },
      fixture: { kind: 'authentication', integrity: expect.stringMatching(/^sha256-/) },
      why_no_fixture: null,
    },
  });
  expect(toStream(ceremony, { reason: 'The same ceremony was recorded before.' }, BEGUN).outside).toMatchObject({
    fixture: null,
    why_no_fixture: 'The same ceremony was recorded before.',
  });
});

test.each([
  [ACCEPTED, 'verified', 201],
  [{ status: 302, body: '' }, 'undecided', 302],
  [{ status: 500, body: 'oops' }, 'rejected', 500],
  [undefined, 'undecided', null],
])('what the site answered (%j) is the state %s on the page', async (answered, state, status) => {
  const ceremony = await openSite().perform('create', answered && { answered });
  expect(toStream(ceremony, await record(ceremony), BEGUN).entry).toMatchObject({
    kind: 'registration',
    state,
    status,
    browser: null,
    software: { persona: 'plain', tamper: null },
  });
});

test('a challenge that no server has seen again is not shown', async () => {
  const { perform } = openSite();
  const unsent = await perform('create');
  expect(writeBrowsed(unsent)).toMatchObject({ ceremony: 'registration', request: null, response: { type: 'public-key' } });
  const failed = await perform('get', { more: { allowCredentials: [{ type: 'public-key', id: 'AAAA' }] } });
  const error = { name: 'NotAllowedError', message: expect.stringContaining('1 allowed credential') };
  expect(writeBrowsed(failed)).toMatchObject({
    ceremony: 'authentication',
    persona: null,
    tamper: null,
    error,
    request: null,
    response: null,
  });
  const stream = toStream(failed, await record(failed), BEGUN + 70);
  expect(stream.entry).toMatchObject({
    state: 'expired',
    software: null,
    browser: { error: 'NotAllowedError', message: error.message, milliseconds: 70 },
    status: null,
    message: null,
  });
  expect(stream.outside).toMatchObject({
    response: null,
    explanation: failed.explanation,
    fixture: null,
    why_no_fixture: 'The ceremony got no response.',
  });
  expect(JSON.stringify(stream.outside)).not.toContain(failed.options['challenge']);
  for (const options of [writeBrowsed(unsent).options, writeBrowsed(failed).options, stream.outside.options]) {
    expect(options).not.toHaveProperty('challenge');
  }
});
