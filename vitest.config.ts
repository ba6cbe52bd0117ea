import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { useFolderOfTheRun } from './test/folder-of-the-run.js';
import { useOrdinaryEnvironment } from './test/ordinary-environment.js';

const ci = Boolean(process.env.CI);
const BESIDES = ['test/e2e/**/*.test.ts', 'test/architecture/readme.test.ts', 'test/architecture/consumer.test.ts'];

/** Files that take too long for `npm test`; vitest.release.config.ts runs them. */
export const LONG = ['test/**/*.release.test.ts'];
export const PACKAGES = '**/node_modules/**';

/**
 * Waits for processes and browsers: begins first, so that both workers end together. A browser that was not read from the disk before takes
 * up to 20 s to start: one worker starts it, while the other has files without one.
 */
const FIRST = [
  /\/e2e\/software-authenticator\./,
  /\/e2e\/(?!browse|credential|page|simulate-report)|\/architecture\/(?:readme|consumer)\./,
  /\/e2e\//,
];

const placeOf = ({ moduleId }: TestSpecification) => FIRST.findIndex((pattern) => pattern.test(moduleId)) + 1 || FIRST.length + 1;

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

export const RUNNER = {
  // Half of the time of isolated files goes into loading the same modules anew. No test may lean on a fresh one.
  isolate: false,
  // The build is loaded as Node loads it.
  server: { deps: { external: [/\/dist\//] } },
  // A test that passes alone but not beside others is a defect; two workers fit two cores.
  maxWorkers: 2,
  // Compiling all modules takes a tenth of the processor time; they are compiled again when they change.
  experimental: { fsModuleCache: true },
  // Most of what tests make is soon garbage: with more room for it, it is collected less often.
  execArgv: ['--max-semi-space-size=64'],
};

/** A worker serves one project, and each has its own copy of every module: so there are two only where one is asked for. */
const asked = process.argv.some((argument) => argument.startsWith('--project'));

export default defineConfig((): ViteUserConfig => {
  // `npm run test:release` works on the disk.
  useOrdinaryEnvironment();
  useFolderOfTheRun({ inMemory: true });
  return {
    test: {
      ...RUNNER,
      sequence: { sequencer: InOrder },
      // The longest test takes 5 s on a quiet machine, and more than 60 s beside thirty other processes.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      reporters: ci ? ['default', ['json', { outputFile: 'test-results.json' }]] : ['default'],
      ...(asked
        ? {
            projects: [
              { extends: true, test: { name: 'e2e', include: BESIDES, exclude: [...LONG, PACKAGES] } },
              { extends: true, test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [...BESIDES, ...LONG, PACKAGES] } },
            ],
          }
        : { include: ['test/**/*.test.ts'], exclude: [...LONG, PACKAGES] }),
    },
  };
});
