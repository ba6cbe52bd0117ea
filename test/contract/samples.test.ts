import { test } from 'vitest';
import { passkeyOf } from '../cli/seeded-store.js';
import { creation, request } from '../client/ceremony.js';
import { expectDistinctValues } from '../distinct-values.js';
import { sampleEvent, sampleFixture } from '../fixture/sample.js';
import { newAccess, newAuditEntry, newCeremony, newLogin, newOwner, newPasskey } from './samples.js';

test.each([
  ['passkey', newPasskey()],
  ['passkey of a seeded store', passkeyOf({ type: 'User', id: 7 }, 2, 'Phone', 'example.com')],
  ['login', newLogin()],
  ['access', newAccess()],
  ['user', newOwner()],
  ['ceremony', newCeremony()],
  ['entry of the audit log', newAuditEntry()],
  ['fixture', sampleFixture()],
  ['finished ceremony', sampleEvent()],
  ['creation', creation()],
  ['request', request()],
])('no two members of a sample %s that have one type have one value, and switches stand both ways', (_, sample) => {
  expectDistinctValues(sample);
});
