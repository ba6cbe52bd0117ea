import { expect, test } from 'vitest';
import { storeFlag } from '../../src/cli/store-flag.js';

test.each([
  [undefined, ''],
  ['', ''],
  ['other.json', ' --store other.json'],
  ['my store.json', ' --store "my store.json"'],
  ['postgres://ada@db/passkeys', ' --store "postgres://ada@db/passkeys"'],
  ['postgres://ada:pa:ss@db/passkeys', ' --store "postgres://ada@db/passkeys"'],
  ['postgres://ada:pa@s/s@db/passkeys', ' --store "postgres://ada@db/passkeys"'],
  ['postgres://ada@db:5432/passkeys', ' --store "postgres://ada@db:5432/passkeys"'],
  [
    'postgresql://db/passkeys?user=ada&password=s&sslmode=require',
    ' --store "postgresql://db/passkeys?user=ada&password=&sslmode=require"',
  ],
])('%s is suggested as "%s"', (location, flag) => {
  expect(storeFlag(location)).toBe(flag);
});
