import { describe, test } from 'vitest';
import { expectHeld } from './held-html.js';

describe('HTML that a target made to hold the run', () => {
  test.each([
    ['elements that are never closed', '<div>'],
    ['comments that are never closed', '<!--'],
    ['attributes that are never closed', '<p><a href='],
  ])('ends with an error: %s', (_, part) => expectHeld(part));
});
