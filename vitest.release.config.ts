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

/** Files of `npm test` that leave tests to the release suite; test/architecture/release.test.ts knows them all. */
const WITH_MORE = [
  'test/architecture/consumer.test.ts',
  'test/architecture/sbom.test.ts',
  'test/authenticator/attestation/accepted.test.ts',
  'test/authenticator/attestation/other-verifiers.test.ts',
  'test/authenticator/private-key.test.ts',
  'test/cli/start-up.test.ts',
  'test/client/dialect.test.ts',
  'test/e2e/any-language.test.ts',
  'test/e2e/cli-serve.test.ts',
  'test/e2e/cli-terminal.test.ts',
  'test/e2e/credential.test.ts',
  'test/e2e/exec.test.ts',
  'test/e2e/page-accessibility.test.ts',
  'test/e2e/page-autofill.test.ts',
  'test/e2e/page-errors.test.ts',
  'test/e2e/page-fixtures.test.ts',
  'test/e2e/page-break.test.ts',
  'test/e2e/page-ceremony.test.ts',
  'test/e2e/page-share.test.ts',
  'test/e2e/page-sign-in.test.ts',
  'test/e2e/page-software.test.ts',
  'test/e2e/page-signals.test.ts',
  'test/e2e/page.test.ts',
  'test/e2e/postgres.test.ts',
  'test/e2e/simulate-report.test.ts',
  'test/e2e/software-authenticator.test.ts',
  'test/cli/store-moving.test.ts',
  'test/e2e/store-moving.test.ts',
  'test/server/rate-limit.test.ts',
  'test/server/routes/development-tamper.test.ts',
  'test/server/routes/fido.test.ts',
  'test/simulate/cases/all-cases.test.ts',
  'test/simulate/cases/attestation/attestation-cases.test.ts',
  'test/simulate/cases/authenticator/authenticator-cases.test.ts',
  'test/simulate/cases/client-data/client-data-cases.test.ts',
  'test/simulate/cases/shapes/shape-cases.test.ts',
  'test/simulate/engine/recovery.test.ts',
  'test/simulate/explained.test.ts',
  'test/simulate/load/load.test.ts',
  'test/simulate/mutations/mutate.test.ts',
  'test/simulate/threads.test.ts',
  'test/simulate/remote.test.ts',
  'test/store/processes.test.ts',
  'test/testing/tamper.test.ts',
];

/** They are run on PostgreSQL here. */
const CONTRACTS = ['test/contract/*.test.ts'];

/** Not in the gate of .ci/run: they kill processes, measure, drive browsers, or install from a registry. */
const NOT_IN_THE_GATE = [
  'test/**/page*.test.ts',
  'test/cli/hundred-thousand.release.test.ts',
  'test/e2e/hostile-clients.release.test.ts',
  'test/e2e/other-runtimes.release.test.ts',
  'test/e2e/postgres-load.release.test.ts',
  'test/e2e/software-authenticator*.test.ts',
  'test/e2e/testing-browser-docs.release.test.ts',
  'test/store/processes.test.ts',
];

/** What `npm run test:release` runs; one file: `npx vitest run --config vitest.release.config.ts FILE`. */
export default defineConfig((): ViteUserConfig => {
  useOrdinaryEnvironment();
  useFolderOfTheRun({ inMemory: false });
  return {
    test: {
      ...RUNNER,
      include: [...LONG, ...WITH_MORE, ...CONTRACTS, ...PROPERTIES],
      exclude: [PACKAGES, ...(process.env.PASSKEY_GATE === undefined ? [] : NOT_IN_THE_GATE)],
      env: { PASSKEY_RELEASE: '1', PASSKEY_PROPERTY_RUNS: '5000', PASSKEY_RANDOM_KEYS: '10000' },
      // Of some files and blocks all tests are quick, and run in `npm test` alone.
      passWithNoTests: true,
      testTimeout: 600_000,
      hookTimeout: 600_000,
    },
  };
});
