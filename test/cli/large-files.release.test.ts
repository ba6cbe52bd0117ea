import { describe, test } from 'vitest';
import { REFUSED } from '../large/refused.js';
import { expectRefused } from './refuse-file.js';

describe.each(Object.entries(REFUSED))('%s', (_, refused) => {
  const commands = [['explain'], ...(refused.file.endsWith('.json') ? [['simulate', '--fixtures']] : [])];
  test.each(commands.map((command) => [command.join(' '), command] as const))('%s exits 2 and says why', (__, command) =>
    expectRefused(command, refused),
  );
});
