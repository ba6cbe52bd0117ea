import { describe, expect, test } from 'vitest';
import { signingAlgorithm } from '../../src/authenticator/algorithms.js';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import type { CredentialSource } from '../../src/authenticator/credential-source.js';
import { createCredentialSourceStore } from '../../src/authenticator/credential-store.js';
import { equalBytes } from '../../src/kernel/bytes.js';
import { fc } from '../properties.js';
import { clientDataHash, getRequest, granted, makeRequest, quickKeys, RP_ID, user } from './requests.js';

const privateKey = await quickKeys(signingAlgorithm(-7));

function source(id: number, change: Partial<CredentialSource> = {}): CredentialSource {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(0, id);
  return {
    id: bytes,
    rpId: RP_ID,
    rpName: 'Example',
    user: user(String(id)),
    algorithm: -7,
    privateKey,
    discoverable: true,
    signCount: 0,
    backupEligible: false,
    backupState: false,
    ...change,
  };
}

/** The store in its plainest form: one list, searched whole. */
function plainStore() {
  let held: CredentialSource[] = [];
  const is = (rpId: string, id: Uint8Array) => (other: CredentialSource) => other.rpId === rpId && equalBytes(other.id, id);
  return {
    list: () => held,
    put(added: CredentialSource) {
      const sameUser = (other: CredentialSource) => added.discoverable && other.discoverable && equalBytes(other.user.id, added.user.id);
      held = held.filter((other) => other.rpId !== added.rpId || !(equalBytes(other.id, added.id) || sameUser(other)));
      held.push(added);
    },
    update(rpId: string, id: Uint8Array, change: (source: CredentialSource) => CredentialSource) {
      held = held.map((other) => (is(rpId, id)(other) ? change(other) : other));
    },
    remove(rpId: string, id: Uint8Array) {
      held = held.filter((other) => !is(rpId, id)(other));
    },
  };
}

const RPS = [RP_ID, 'other.example'];
const step = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'update', 'hide', 'remove'),
  rpId: fc.constantFrom(...RPS),
  id: fc.nat(5),
  user: fc.nat(3),
  discoverable: fc.boolean(),
});

describe('the credential source store', () => {
  test('holds, in their order, the same as a list that is searched whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const store = createCredentialSourceStore();
        const plain = plainStore();
        for (const [index, { kind, rpId, id, user: owner, discoverable }] of steps.entries()) {
          const made = source(id, { rpId, user: user(String(owner)), discoverable });
          const change = (old: CredentialSource) => (kind === 'hide' ? { ...old, discoverable: false } : { ...old, signCount: index });
          if (kind === 'put') {
            await store.put(made);
            plain.put(made);
          } else if (kind === 'remove') {
            await store.remove(rpId, made.id);
            plain.remove(rpId, made.id);
          } else {
            await store.update(rpId, made.id, change);
            plain.update(rpId, made.id, change);
          }
          expect(await store.list()).toEqual(plain.list());
          for (const scope of RPS) {
            const own = plain.list().filter((other) => other.rpId === scope);
            expect(await store.list(scope)).toEqual(own);
            for (const other of own) expect(await store.find(scope, other.id)).toEqual(other);
          }
        }
      }),
    );
  });

  const ada = { user: user('ada') };
  const serverSide = { ...ada, discoverable: false };
  const idsOf = async (store: ReturnType<typeof createCredentialSourceStore>) => (await store.list()).map(({ id }) => id[3]);

  test('a credential that stops being discoverable makes room for another of its user', async () => {
    const store = createCredentialSourceStore([source(1, ada)]);
    await store.update(RP_ID, source(1).id, (old) => ({ ...old, discoverable: false }));
    await store.put(source(2, ada));
    expect(await idsOf(store)).toEqual([1, 2]);
    // The first changes again, and the second remains the discoverable one of its user.
    await store.update(RP_ID, source(1).id, (old) => ({ ...old, signCount: 9 }));
    await store.put(source(3, ada));
    expect(await idsOf(store)).toEqual([1, 3]);
  });

  test('a removed credential is forgotten with its user, and another of its user is not', async () => {
    const store = createCredentialSourceStore([source(1, ada), source(9)]);
    expect(await store.remove(RP_ID, source(1).id)).toBe(true);
    expect(await store.remove(RP_ID, source(1).id)).toBe(false);
    await store.put(source(1, serverSide));
    await store.put(source(2, ada));
    expect(await idsOf(store)).toEqual([9, 1, 2]);
    expect(await store.remove(RP_ID, source(1).id)).toBe(true);
    await store.put(source(3, ada));
    expect(await idsOf(store)).toEqual([9, 3]);
  });

  test('a change of the ID or of the user moves a credential, as if it were new', async () => {
    const store = createCredentialSourceStore([source(1, ada), source(2)]);
    expect(await store.update(RP_ID, source(1).id, (old) => ({ ...old, id: source(5).id }))).toBe(true);
    expect(await store.update(RP_ID, source(1).id, (old) => old)).toBe(false);
    expect(await idsOf(store)).toEqual([2, 5]);
    expect(await store.find(RP_ID, source(1).id)).toBeUndefined();
    await store.update(RP_ID, source(2).id, (old) => ({ ...old, user: user('bob') }));
    expect(await idsOf(store)).toEqual([5, 2]);
    await store.put(source(3, { user: user('2') }));
    await store.put(source(4, { user: user('bob') }));
    expect(await idsOf(store)).toEqual([5, 3, 4]);
    await store.update(RP_ID, source(5).id, (old) => ({ ...old, signCount: 1 }));
    expect(await idsOf(store)).toEqual([5, 3, 4]);
  });

  test('keeps a credential with its RP', async () => {
    const store = createCredentialSourceStore([source(1)]);
    const move = store.update(RP_ID, source(1).id, (old) => ({ ...old, rpId: 'other.example' }));
    await expect(move).rejects.toThrow(new TypeError('Expected the change of a credential to keep its RP example.com; got other.example.'));
    expect(await store.list(RP_ID)).toEqual([source(1)]);
  });

  /** How many credentials an operation looks at: each look at a source reads its RP, its user or its ID. */
  function watched(size: number) {
    let reads = 0;
    const observe = (inner: CredentialSource) =>
      new Proxy(inner, {
        get(target, member) {
          if (member === 'id') reads += 1;
          return Reflect.get(target, member) as unknown;
        },
      });
    const store = createCredentialSourceStore(Array.from({ length: size }, (_, id) => observe(source(id))));
    const authenticator = createAuthenticator({ store, newPrivateKey: () => privateKey });
    const count = async (operation: () => Promise<unknown>) => {
      reads = 0;
      await operation();
      return reads;
    };
    return { store, authenticator, count };
  }

  test('looks at no more credentials among 2,000 than among 20', async () => {
    const work = async (size: number) => {
      const { store, authenticator, count } = watched(size);
      const last = source(size - 1).id;
      const allowCredentials = [{ type: 'public-key', id: source(3).id } as const];
      const excludeCredentials = [{ type: 'public-key', id: source(size + 1).id } as const];
      return [
        await count(() => store.find(RP_ID, last)),
        await count(async () => granted(await authenticator.getAssertion(getRequest({ clientDataHash, allowCredentials })))),
        await count(async () => granted(await authenticator.getAssertion(getRequest()))),
        await count(async () => granted(await authenticator.makeCredential(makeRequest({ user: user('new'), excludeCredentials })))),
        await count(() => store.remove(RP_ID, last)),
      ];
    };
    expect(await work(2000)).toEqual(await work(20));
  });
});
