import { defineConfig } from 'vitest/config';
import { LONG, RUNNER } from './vitest.config.js';

/** Files of `npm test` that try as many generated ceremonies and keys as the environment says. */
const PROPERTIES = [
  'test/relying-party/properties.test.ts',
  'test/explain/report/agreement.test.ts',
  'test/authenticator/random-keys.test.ts',
];

/** What `npm run test:release` runs; one file: `npx vitest run --config vitest.release.config.ts FILE`. */
export default defineConfig({
  test: {
    ...RUNNER,
    include: [...LONG, ...PROPERTIES],
    env: { PASSKEY_PROPERTY_RUNS: '5000', PASSKEY_RANDOM_KEYS: '10000' },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
