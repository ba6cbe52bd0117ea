import { describe } from 'vitest';
import { startSimpleWebAuthn } from '../../../targets/simplewebauthn.js';
import { prove } from './prove.js';

describe('the routes of SimpleWebAuthn, by their profile', () => {
  prove({ name: 'simplewebauthn', start: startSimpleWebAuthn });
});
