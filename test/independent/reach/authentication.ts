import { ec, rsa, signBy, signPss, signRaw, spki } from '../craft/keys.js';
import { base64url, type CreateChange, type GetChange, get, type Scene } from '../craft/scene.js';
import { type Exchange, happened } from './exchange-table.js';

const getting =
  (change: GetChange, registered: CreateChange = {}): Exchange =>
  async (scene) =>
    await scene.signIn(await scene.registered(registered), change);

/** The answer to options without a list of credentials. */
async function discovered(scene: Scene, change: GetChange) {
  const made = await scene.registered();
  return await scene.login(get(await scene.requestOptions(), made, change));
}

const counting = (before: number, ...counts: readonly number[]): Exchange => {
  const [last = 0, ...earlier] = counts.toReversed();
  return async (scene) => {
    const made = await scene.registered({ signCount: before });
    for (const signCount of earlier.reverse()) await scene.signIn(made, { signCount });
    return await scene.signIn(made, { signCount: last });
  };
};

const stranger = ec();

/** §7.2 steps 5, 6 and 21 to 24. */
export const AUTHENTICATION = {
  'allow-list-unenforced': async (scene) => {
    const [asked, sent] = [await scene.registered(), await scene.registered()];
    return await scene.login(get(await scene.requestOptions(asked), sent));
  },
  'user-handle-unchecked': async (scene) =>
    await scene.signIn(await scene.registered(), { response: { userHandle: await scene.otherHandle() } }),
  'user-handle-absent-accepted': async (scene) => await discovered(scene, { response: { userHandle: undefined } }),
  'user-from-user-handle': async (scene) => await discovered(scene, { response: { userHandle: await scene.otherHandle() } }),
  'credential-by-user-handle': async (scene) => await discovered(scene, { body: { id: 'AAAA', rawId: 'AAAA' } }),
  'removed-passkey-accepted': async (scene) => {
    const made = await scene.registered();
    const options = await scene.requestOptions(made);
    await scene.send('DELETE', `/api/passkeys/${made.passkey}`, scene.token(0));
    return await scene.login(get(options, made));
  },
  'signature-unchecked': getting({ signCount: 2, signature: (data) => signBy(stranger, data) }, { signCount: 1 }),
  'signature-unchecked-at-counter-zero': getting({ signature: (data) => signBy(stranger, data) }),
  'signature-empty-accepted': getting({ signature: () => Buffer.alloc(0) }),
  'signature-exception-passes': getting({ signature: () => Buffer.from('no signature') }),
  'signature-may-omit-client-data': getting({ sign: ({ authData }) => authData }),
  'signature-may-omit-authenticator-data': getting({ sign: ({ hash }) => hash }),
  'signature-over-unhashed-client-data': getting({ sign: ({ authData, clientData }) => Buffer.concat([authData, clientData]) }),
  'signature-goes-on': getting({ signature: (data, pair) => Buffer.concat([signBy(pair, data), Buffer.from([0])]) }),
  'signature-not-der': getting({ signature: (data, pair) => signRaw(pair, data) }),
  'rsa-padding-unbound': getting({ signature: (data, pair) => signPss(pair, data) }, { pair: rsa() }),
  'signature-by-another-passkey': async (scene) => {
    const [one, other] = [await scene.registered(), await scene.registered()];
    return await scene.signIn({ ...one, pair: other.pair });
  },
  'signature-by-sent-key': getting({
    signature: (data) => signBy(stranger, data),
    response: { publicKey: base64url(spki(stranger)) },
  }),
  'counter-unchecked': counting(9, 5),
  'counter-may-stay': counting(9, 9),
  'counter-may-fall-to-zero': counting(9, 0),
  'counter-not-stored': counting(1, 9, 5),
  'counter-stored-before-signature': async (scene) => {
    const made = await scene.registered({ signCount: 1 });
    await scene.signIn(made, { signCount: 100, signature: (data) => signBy(stranger, data) });
    return happened((await scene.signIn(made, { signCount: 2 })).status !== 200);
  },

  'user-handle-required': getting({ response: { userHandle: undefined } }),
  'user-handle-null-refused': getting({ response: { userHandle: null } }),
  'counter-zero-twice-refused': counting(0, 0),
  'counter-must-step-by-one': counting(1, 100),
  'counter-signed': counting(1, 0x8000_0001),
  'unknown-credential-crashes': async (scene) => await discovered(scene, { body: { id: 'AAAA', rawId: 'AAAA' } }),
  'malformed-signature-crashes': getting({ signature: () => Buffer.from('no signature') }),

  'others-passkey-removed': async (scene) => {
    const { passkey } = await scene.registered();
    return await scene.send('DELETE', `/api/passkeys/${passkey}`, scene.token(1));
  },
  'others-passkeys-listed': async (scene) => {
    await scene.registered();
    const { json } = await scene.send('GET', '/api/passkeys', scene.token(1));
    return happened(Object.keys(json).length > 0);
  },
  'session-outlives-sign-out': async (scene) => {
    const { headers } = await scene.signIn(await scene.registered());
    const cookie = headers['set-cookie']?.split(';')[0] ?? '';
    await scene.send('DELETE', '/api/session', { cookie });
    return await scene.send('GET', '/api/session', { cookie });
  },
} as const satisfies Record<string, Exchange>;
