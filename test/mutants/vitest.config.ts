import { defineConfig, mergeConfig } from 'vitest/config';
import config from '../../vitest.config.js';

export default defineConfig((environment) =>
  mergeConfig(config(environment), { test: { setupFiles: ['test/mutants/record.ts'], reporters: ['dot'] } }),
);
