import { defineConfig } from 'vitest/config';

const ci = Boolean(process.env.CI);

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ci ? ['default', ['json', { outputFile: 'test-results.json' }]] : ['default'],
    // A test that passes alone but not beside others is a defect; two workers fit two cores.
    maxWorkers: 2,
  },
});
