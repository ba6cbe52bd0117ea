import { describe } from 'vitest';
import { SIMPLE_WEBAUTHN_FAULTS } from '../../../targets/known-faults.js';
import { startSimpleWebAuthn } from '../../../targets/simplewebauthn.js';
import { prove } from './prove.js';
import { proveWholeRun } from './whole-run.js';

describe('the routes of SimpleWebAuthn, by their profile', () => {
  prove({ name: 'simplewebauthn', start: startSimpleWebAuthn });
});

proveWholeRun({ of: 'the routes of SimpleWebAuthn', name: 'simplewebauthn', start: startSimpleWebAuthn, faults: SIMPLE_WEBAUTHN_FAULTS });
