import { describe, expect, test } from 'vitest';
import { consumerProject } from './consumer.js';

describe('a strict TypeScript project takes the types of the package', () => {
  const compile = consumerProject();

  // `npm run test:release` checks the declarations as well, those of dependencies too.
  test.each([
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])('module $module, resolution $moduleResolution', (resolution) => {
    expect(compile({ ...resolution, skipLibCheck: true })).toBe('');
  });
});
