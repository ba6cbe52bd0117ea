import { expect, test } from 'vitest';
import { explainBrowserError } from '../../../src/explain/browser-errors/browser-errors.js';
import { mayBeCancelled } from '../../../src/explain/browser-errors/cancelled.js';
import { failedCall, UNSEEN } from '../../../src/explain/browser-errors/failed-call.js';
import { explainSoftwareError } from '../../../src/explain/browser-errors/software-errors.js';

const failed = (name: string) =>
  failedCall(
    { name, message: 'What it says.', call: 'create', mediation: undefined, milliseconds: 900, options: { excludeCredentials: [{}] } },
    { ...UNSEEN, origin: 'http://localhost:7277' },
  );

test.each(['InvalidStateError', 'SecurityError', 'ConstraintError', 'NotSupportedError', 'TypeError'])(
  '%s is explained as for a browser',
  (name) => {
    expect(explainSoftwareError(failed(name))).toStrictEqual(explainBrowserError(failed(name)));
  },
);

test.each([
  ['NotAllowedError', 'The software authenticator refused the options, as a browser would'],
  ['options_refused', 'The software authenticator refused the options, as a browser would'],
  ['not_applicable', 'The software authenticator cannot make this mistake here'],
  ['validation_failed', 'The software authenticator cannot answer this'],
  ['route_not_found', 'This server has no software authenticator'],
  ['internal_error', 'The software authenticator could not answer'],
])('%s: %s, for the cause that it states', (name, title) => {
  expect(explainSoftwareError(failed(name))).toMatchObject({ title, causes: ['What it says.'] });
});

test('no user ends what a software authenticator refuses, however long it took', () => {
  expect(mayBeCancelled('NotAllowedError', 900, true)).toBe(false);
  expect(mayBeCancelled('AbortError', 900, true)).toBe(true);
});
