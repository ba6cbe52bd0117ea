import { describe, test } from 'vitest';
import { expectShown, isLong, SITTINGS } from './documentation.js';
import { prepareFolder } from './folder.js';

describe('the commands of the documentation', () => {
  prepareFolder();
  test.each(SITTINGS.filter(([, sitting]) => !isLong(sitting)))('%s', (_, sitting) => expectShown(sitting));
});
