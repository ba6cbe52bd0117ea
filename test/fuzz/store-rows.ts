import type { JsonObject } from '../../src/kernel/json-value.js';
import { insertAccess, insertOwner } from '../../src/store/accounts.js';
import { removeOwner, revokePasskeys } from '../../src/store/bulk-operations.js';
import { encodeFile } from '../../src/store/file-codec.js';
import { emptyContents } from '../../src/store/file-rows.js';
import { insertPasskey } from '../../src/store/passkeys.js';
import { newAccess, newPasskey, START } from '../contract/samples.js';
import type { Random } from './random.js';

/** A good store file as JSON, with rows in every table; what is in it depends on `random` alone. */
export function storeDocument(random: Random): JsonObject {
  const contents = emptyContents('0123456789abcdef'.repeat(2));
  contents.extra.set('', { later: [1, { two: '3' }] });
  const { state } = contents;
  const owners = ['ada', 'bob', 'cy'].map((name) =>
    insertOwner(state, { type: 'User', email: `${name}@example.com`, name, userHandle: random.bytes(16), createdAt: START }),
  );
  for (const { type, id } of [...owners, ...owners]) {
    const { credential } = newPasskey();
    const passkey = insertPasskey(state, {
      ...newPasskey(),
      owner: { type, id },
      userHandle: random.bytes(16),
      challenge: random.bytes(32),
      credential: {
        ...credential,
        id: random.bytes(32),
        publicKey: random.bytes(77),
        attestationObject: random.bytes(90),
        attestationClientDataJSON: random.bytes(60),
      },
    });
    insertAccess(state, newAccess({ owner: { type, id }, hash: random.bytes(32), passkeyId: passkey.id }));
  }
  revokePasskeys(state, [2], { at: START + 1, reason: 'lost' });
  removeOwner(state, { type: 'User', id: 3 }, { at: START + 2, reason: 'left' });
  return JSON.parse([...encodeFile(contents)].join('')) as JsonObject;
}
