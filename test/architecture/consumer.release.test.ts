import { expect, test } from 'vitest';
import { consumerProject } from './consumer.js';

const compile = consumerProject();

test('the declarations of the package, and of what they import, are right for a strict TypeScript project', () => {
  expect(compile({ module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: false })).toBe('');
});
