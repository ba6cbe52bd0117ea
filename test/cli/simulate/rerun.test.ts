import { expect, test } from 'vitest';
import { rerunCommand } from '../../../src/cli/simulate/rerun.js';
import { fakeIo } from '../fake-io.js';

const { io } = fakeIo();

test('keeps how a case ran, and leaves out what chose it', () => {
  const flags = {
    url: 'https://example.com/base',
    appUrl: 'https://app.example.com',
    fixtures: ['a', 'b c'],
    timeout: '5s',
    followMe: true,
    open: false,
    replay: ['verbatim', 'rebound'],
    tag: ['login'],
    step: ['origin'],
    attestationFormat: ['tpm'],
    rerunFailed: 'x.json',
    baseline: 'y.json',
    failOnNotApplicable: true,
    bail: true,
    jobs: '4',
    repeat: '9',
    reporter: ['json=z.json'],
    json: true,
  };
  expect(rerunCommand(io, flags, { id: 'login.default', replay: 'rebound' })).toBe(
    'passkey simulate login.default --replay rebound --url "https://example.com/base" --app-url "https://app.example.com" --fixtures a --fixtures "b c" --timeout 5s --follow-me --no-open',
  );
});

test('never repeats a bearer token', () => {
  const command = rerunCommand(io, { token: ['pk_secret', 'pk_other'] }, { id: 'login.default' });
  expect(command).toBe('passkey simulate login.default --token "$TOKEN_1" --token "$TOKEN_2"');
});

test('is the command as npx runs it', () => {
  const { io: underNpx } = fakeIo({ env: { npm_lifecycle_event: 'npx' } });
  const script = '/root/.npm/_npx/1f/node_modules/.bin/passkey-cli';
  expect(rerunCommand({ ...underNpx, script }, {}, { id: 'login.default' })).toBe('npx passkey-cli simulate login.default');
});
