import { test } from 'vitest';
import { expectHeld } from './held-html.js';

// Each takes the second that is allowed: `npm run test:release` has more.
test('HTML that a target made to hold the run ends with an error', () => {
  expectHeld('<a>');
});
