import { defineConfig } from 'vitest/config';
import { LONG, RUNNER } from './vitest.config.js';

/** Files of `npm test` that try as many generated ceremonies and keys as the environment says. */
const PROPERTIES = [
  'test/relying-party/properties.test.ts',
  'test/explain/report/agreement.test.ts',
  'test/authenticator/random-keys.test.ts',
];

/** Files of `npm test` with tests of `test/thorough.ts`; test/architecture/release.test.ts knows them all. */
const WITH_MORE = [
  'test/architecture/sbom.test.ts',
  'test/e2e/cli-terminal.test.ts',
  'test/e2e/credential.test.ts',
  'test/e2e/page-accessibility.test.ts',
  'test/e2e/page-autofill.test.ts',
  'test/e2e/page-errors.test.ts',
  'test/e2e/page-live.test.ts',
  'test/e2e/page-look.test.ts',
  'test/e2e/page-options.test.ts',
  'test/e2e/page-passkeys.test.ts',
  'test/e2e/page-place.test.ts',
  'test/e2e/page-setup.test.ts',
  'test/e2e/page-sign-in.test.ts',
  'test/e2e/page-signals.test.ts',
  'test/e2e/page-states.test.ts',
  'test/e2e/page.test.ts',
  'test/server/rate-limit.test.ts',
  'test/simulate/mutations/mutate.test.ts',
  'test/store/processes.test.ts',
];

/** What `npm run test:release` runs; one file: `npx vitest run --config vitest.release.config.ts FILE`. */
export default defineConfig({
  test: {
    ...RUNNER,
    include: [...LONG, ...WITH_MORE, ...PROPERTIES],
    env: { PASSKEY_RELEASE: '1', PASSKEY_PROPERTY_RUNS: '5000', PASSKEY_RANDOM_KEYS: '10000' },
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
