import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { useFolderOfTheRun } from './test/folder-of-the-run.js';
import { useOrdinaryEnvironment } from './test/ordinary-environment.js';
import { LONG, PACKAGES, RUNNER } from './vitest.config.js';

/** Files of `npm test` that try as many generated ceremonies and keys as the environment says. */
const PROPERTIES = [
  'test/client/junk.test.ts',
  'test/client/verified.test.ts',
  'test/relying-party/properties.test.ts',
  'test/explain/report/agreement.test.ts',
  'test/authenticator/random-keys.test.ts',
];

/** Files of `npm test` that leave tests to the release suite. */
const WITH_MORE = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter(
    (file) =>
      file.endsWith('.test.ts') &&
      !file.includes('/node_modules/') &&
      /^import .* from '[./]*thorough\.js';$/m.test(readFileSync(file, 'utf8')),
  );

/** They are run on PostgreSQL here. */
const CONTRACTS = ['test/contract/*.test.ts'];

const IN_THE_GATE = process.env.PASSKEY_GATE !== undefined;

/** Not in the gate of .ci/run: they kill processes, measure, drive browsers, install from a registry, or take more than a minute. */
const NOT_IN_THE_GATE = [
  'test/**/page-!(front-end|sign-in).release.test.ts',
  'test/e2e/page.test.ts',
  'test/e2e/page-accessibility.test.ts',
  'test/e2e/page-ceremony.test.ts',
  'test/architecture/site.release.test.ts',
  'test/cli/simulate/correct-application.test.ts',
  'test/cli/hundred-thousand.release.test.ts',
  'test/e2e/check-page*.test.ts',
  'test/e2e/hostile-clients.release.test.ts',
  'test/e2e/other-runtimes.release.test.ts',
  'test/e2e/postgres-load.release.test.ts',
  'test/e2e/quick-start.release.test.ts',
  'test/e2e/software-authenticator*.test.ts',
  'test/e2e/testing-browser-docs.release.test.ts',
  'test/independent/odd-values.test.ts',
  'test/store/postgres-million.release.test.ts',
  'test/store/processes.test.ts',
];

/** How many generated ceremonies and keys are tried. */
const AMOUNTS = IN_THE_GATE
  ? { PASSKEY_PROPERTY_RUNS: '1000', PASSKEY_RANDOM_KEYS: '1000' }
  : { PASSKEY_PROPERTY_RUNS: '5000', PASSKEY_RANDOM_KEYS: '10000' };

/** What `npm run test:release` runs; one file: `npx vitest run --config vitest.release.config.ts FILE`. */
export default defineConfig((): ViteUserConfig => {
  useOrdinaryEnvironment();
  useFolderOfTheRun({ inMemory: false });
  return {
    test: {
      ...RUNNER,
      include: [...LONG, ...WITH_MORE, ...CONTRACTS, ...PROPERTIES],
      exclude: [PACKAGES, ...(IN_THE_GATE ? NOT_IN_THE_GATE : [])],
      env: { PASSKEY_RELEASE: '1', ...AMOUNTS },
      // Of some files and blocks all tests are quick, and run in `npm test` alone.
      passWithNoTests: true,
      testTimeout: 600_000,
      hookTimeout: 600_000,
    },
  };
});
