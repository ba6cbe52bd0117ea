import { describe } from 'vitest';
import { startBetterAuth } from '../../../targets/better-auth.js';
import { BETTER_AUTH_FAULTS } from '../../../targets/known-faults.js';
import { prove } from './prove.js';
import { proveWholeRun } from './whole-run.js';

describe('better-auth, by its profile', () => {
  prove({ name: 'better-auth', start: startBetterAuth });
});

proveWholeRun({ of: 'better-auth', name: 'better-auth', start: startBetterAuth, faults: BETTER_AUTH_FAULTS });
