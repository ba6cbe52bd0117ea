import { PasskeyError } from '../../src/errors.js';
import type { Access } from '../../src/kernel/access.js';
import type { Passkey } from '../../src/relying-party/credential-record.js';
import type { Store } from '../../src/store/store.js';
import { newAccess, newPasskey, START } from '../contract/samples.js';
import { type Operation, showAccess, showOwner, showPasskey } from './store-model.js';

const TYPE = 'User';
const ref = (id: number) => ({ type: TYPE, id });
const marked = (mark: number) => new Uint8Array(32).fill(mark);
const shown = ({ id, owner, credential, label, revokedAt, counterRegressions }: Passkey) =>
  showPasskey({
    id,
    owner: owner.id,
    credential: credential.id[0] ?? 0,
    label,
    count: credential.signCount,
    revoked: revokedAt !== undefined,
    regressions: counterRegressions,
  });
const shownAccess = ({ id, owner, passkeyId, hash, revokedAt }: Access) =>
  showAccess({ id, owner: owner.id, passkey: passkeyId ?? null, hash: hash[0] ?? 0, revoked: revokedAt !== undefined });
const orNothing = <T>(value: T | undefined, show: (value: T) => string) => (value === undefined ? 'nothing' : show(value));
const owner = ({ id, name }: { readonly id: number; readonly name: string }) => showOwner({ id, name });

/** Runs an operation on a real store, and says what it answered in the words of the model: an error is its code. */
export async function perform(store: Store, operation: Operation): Promise<string> {
  try {
    return await answerOf(store, operation);
  } catch (error) {
    if (error instanceof PasskeyError) return error.code;
    throw error;
  }
}

async function answerOf(store: Store, operation: Operation): Promise<string> {
  switch (operation.kind) {
    case 'insertOwner':
      return owner(await store.insertOwner({ type: TYPE, email: `${operation.name}@example.com`, name: operation.name, createdAt: START }));
    case 'removeOwner':
      return orNothing(
        await store.removeOwner(ref(operation.id), { at: START, reason: 'left' }),
        (removed) => `${owner(removed.owner)}, revoked ${removed.revokedPasskeys.join()}`,
      );
    case 'insertPasskey': {
      const sample = newPasskey({ owner: ref(operation.owner), label: 'new' });
      return shown(await store.insertPasskey({ ...sample, credential: { ...sample.credential, id: marked(operation.credential) } }));
    }
    case 'rename':
      return orNothing(await store.renamePasskey(operation.id, operation.label), shown);
    case 'use': {
      const { id, expected, count } = operation;
      const use = { expectedSignCount: expected, signCount: count, backupState: false, uvInitialized: true, lastUsedAt: START };
      const outcome = await store.recordLogin({ passkeyId: id, use });
      return orNothing(outcome.status === 'recorded' ? outcome.passkey : undefined, shown);
    }
    case 'regress':
      await store.recordCounterRegression(operation.id, START);
      return 'nothing';
    case 'revoke':
    case 'restore': {
      const { kind, ids } = operation;
      const change = kind === 'revoke' ? await store.revokePasskeys(ids, { at: START, reason: 'lost' }) : await store.restorePasskeys(ids);
      if (change.status === 'missing') return `missing ${change.ids.join()}`;
      return [...change.passkeys.map(shown), `changed ${[...change.changed.keys()].toSorted((a, b) => a - b).join()}`].join('; ');
    }
    case 'insertAccess': {
      const access = newAccess({
        kind: 'token',
        owner: ref(operation.owner),
        hash: marked(operation.hash),
        passkeyId: operation.passkey ?? undefined,
      });
      return shownAccess(await store.insertAccess(access));
    }
    case 'revokeAccess':
      return orNothing(await store.revokeAccess(operation.id, START), shownAccess);
    case 'find':
      return orNothing(await store.findPasskey(operation.id), shown);
    case 'findCredential':
      return orNothing(await store.findPasskeyByCredentialId(marked(operation.credential)), shown);
    case 'list': {
      const filter = { revoked: operation.revoked, ...(operation.owner === null ? {} : { owner: ref(operation.owner) }) };
      return (await store.listPasskeys(filter)).map(shown).join('; ');
    }
    case 'owners':
      return (await store.listOwners()).map(owner).join('; ');
    case 'accesses':
      return (await store.listAccess()).map(shownAccess).join('; ');
  }
}
