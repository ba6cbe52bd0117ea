import { test } from 'vitest';
import { expectDistinctValues } from '../distinct-values.js';
import { mutation, passkey } from './drawing.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';
import { streamEntry } from './stream-entries.js';

test.each([
  ['passkey', passkey(2)],
  ['mutation', mutation('login.odd')],
  ['request', httpLeg()],
  ['call of the browser', browserLeg()],
  ['run', loginRun()],
  ['entry of the list', streamEntry('e')],
])('no two members of a sample %s that have one type have one value, and switches stand both ways', (_, sample) => {
  expectDistinctValues(sample);
});
