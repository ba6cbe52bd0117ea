import assert from 'node:assert/strict';
import { ERRORS, isFailedCheck, PasskeyError } from 'passkey-cli/errors';
import { fromHex } from 'passkey-cli/webauthn';

assert.throws(
  () => fromHex('xyz'),
  (error) => error instanceof PasskeyError && error.code === 'validation_failed',
);
assert.equal(ERRORS.origin_mismatch.status, 422);
assert.equal(isFailedCheck('origin_mismatch'), true);
