import { defineConfig } from 'vitest/config';
import { useFolderOfTheRun } from './test/folder-of-the-run.js';

const ci = Boolean(process.env.CI);
const BESIDES = ['test/e2e/**/*.test.ts', 'test/architecture/readme.test.ts', 'test/architecture/consumer.test.ts'];

/**
 * They run in a window of jsdom, as their first comments say. A worker cannot change between that and Node, so each of them among the
 * others would end two workers, and everything would be loaded anew.
 */
const WINDOW = ['test/testing/install-credentials.test.ts', 'test/testing/ceremony-outcomes.test.ts'];

/** Files that take too long for `npm test`; vitest.release.config.ts runs them. */
export const LONG = ['test/**/*.release.test.ts'];

useFolderOfTheRun();

export const RUNNER = {
  // Half of the time of isolated files goes into loading the same modules anew. No test may lean on a fresh one.
  isolate: false,
  // The build is loaded as Node loads it.
  server: { deps: { external: [/\/dist\//] } },
  // A test that passes alone but not beside others is a defect; two workers fit two cores.
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    ...RUNNER,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ci ? ['default', ['json', { outputFile: 'test-results.json' }]] : ['default'],
    projects: [
      // In the order of their names: what waits for processes and browsers begins early, so that both workers end together.
      { extends: true, test: { name: 'dom', include: WINDOW } },
      { extends: true, test: { name: 'e2e', include: BESIDES, exclude: LONG } },
      { extends: true, test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [...WINDOW, ...BESIDES, ...LONG] } },
    ],
  },
});
