import type { JsonObject } from '../../src/kernel/json-value.js';
import { insertAccess, insertOwner } from '../../src/store/accounts.js';
import { removeOwner, revokePasskeys } from '../../src/store/bulk-operations.js';
import { emptyContents, takeFileText } from '../../src/store/contents.js';
import { insertPasskey } from '../../src/store/passkeys.js';
import { newAccess, newPasskey, START } from '../contract/samples.js';
import type { Random } from './random.js';

/** The lines of a good store as JSON, with rows of every kind and changes behind them; what is in it depends on `random` alone. */
export function storeLines(random: Random): JsonObject[] {
  const contents = emptyContents();
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
  const text = [...takeFileText(contents, random.oneIn(4) ? undefined : '0123456789abcdef'.repeat(2))].join('');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line): JsonObject => JSON.parse(line));
  const changes = [
    { gone_passkey: 1, more: true },
    { gone_access: 2 },
    { next: { passkey: 50, access: 60 } },
    { ...lines[1], more: true },
    { ...lines[2] },
  ];
  return [...lines, ...changes.slice(0, random.below(changes.length + 1))];
}
