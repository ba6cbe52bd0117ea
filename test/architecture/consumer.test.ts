import { describe, expect, test } from 'vitest';
import { share } from '../thorough.js';
import { consumerProject } from './consumer.js';

describe('a strict TypeScript project takes the types of the package', () => {
  const compile = consumerProject();

  // `npm run test:release` takes the other resolution, and checks the declarations as well, those of dependencies too.
  test.each(
    share(
      [
        { module: 'nodenext', moduleResolution: 'nodenext' },
        { module: 'esnext', moduleResolution: 'bundler' },
      ],
      2,
    ),
  )('module $module, resolution $moduleResolution', (resolution) => {
    expect(compile({ ...resolution, skipLibCheck: true })).toBe('');
  });
});
