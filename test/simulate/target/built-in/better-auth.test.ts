import { describe } from 'vitest';
import { startBetterAuth } from '../../../targets/better-auth.js';
import { prove } from './prove.js';

describe('better-auth, by its profile', () => {
  prove({ name: 'better-auth', start: startBetterAuth });
});
