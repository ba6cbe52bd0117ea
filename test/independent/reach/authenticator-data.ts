import { cbor, map } from '../craft/cbor.js';
import { AT, BE, BS, type CreateChange, ED, type GetChange, get, HOST, ORIGIN, sha256, UP, UV } from '../craft/scene.js';
import type { Exchange } from './exchange-table.js';

const creating =
  (change: CreateChange, asked = {}): Exchange =>
  async (scene) =>
    await scene.register(change, asked);

const getting =
  (change: GetChange, asked = {}, registered: CreateChange = {}): Exchange =>
  async (scene) =>
    await scene.signIn(await scene.registered(registered), change, asked);

const EXTENSIONS = cbor(map(['credProtect', 2]));
const REQUIRED = { user_verification: 'required' };
const firstBytes = Buffer.concat([sha256(HOST).subarray(0, 8), Buffer.alloc(24)]);

/** §6.1, §7.1 steps 14 to 19, §7.2 steps 15 to 19. */
export const AUTHENTICATOR_DATA = {
  'create-rp-id-hash-unchecked': creating({ rpIdHash: sha256('evil.example') }),
  'get-rp-id-hash-unchecked': getting({ rpIdHash: sha256('evil.example') }),
  'rp-id-hash-by-first-bytes': getting({ rpIdHash: firstBytes }),
  'rp-id-hash-of-parent-domain': creating({ rpIdHash: sha256('example.com') }),
  'rp-id-hash-of-origin': getting({ rpIdHash: sha256(ORIGIN) }),
  'rp-id-hash-from-client-origin': creating({ client: { origin: 'https://other.example' }, rpIdHash: sha256('other.example') }),
  'passkey-of-another-rp': async (scene) => {
    const made = await scene.registered();
    const options = await scene.requestOptions(undefined, { app_url: 'https://other.example' });
    return await scene.login(get(options, made, { client: { origin: 'https://other.example' } }));
  },

  'create-up-unchecked': creating({ flags: AT }),
  'get-up-unchecked': getting({ flags: 0 }),
  'uv-stands-for-up': getting({ flags: UV }),
  'create-uv-unchecked': creating({ flags: UP | AT }, REQUIRED),
  'get-uv-unchecked': getting({ flags: UP }, REQUIRED),
  'create-bs-without-be': creating({ flags: UP | UV | AT | BS }),
  'get-bs-without-be': getting({ flags: UP | UV | BS }),
  'be-change-unnoticed': getting({ flags: UP | UV }, {}, { flags: UP | UV | AT | BE }),
  'be-may-be-gained': getting({ flags: UP | UV | BE }),
  'at-flag-unchecked': creating({ flags: UP | UV }),
  'create-authenticator-data-goes-on': creating({ tail: Buffer.from([0]) }),
  'get-authenticator-data-goes-on': getting({ tail: Buffer.from([0]) }),
  'extensions-unparsed': getting({ flags: UP | UV | ED, tail: Buffer.from([0xff]) }),

  'create-extensions-refused': creating({ flags: UP | UV | AT | ED, tail: EXTENSIONS }),
  'get-extensions-refused': getting({ flags: UP | UV | ED, tail: EXTENSIONS }),
  'nonzero-counter-refused-at-creation': creating({ signCount: 7 }),
  'backup-eligible-refused': creating({ flags: UP | UV | AT | BE | BS }),
  'backup-state-change-refused': getting({ flags: UP | UV | BE | BS }, {}, { flags: UP | UV | AT | BE }),
  'create-uv-demanded': creating({ flags: UP | AT }),
  'get-uv-demanded': getting({ flags: UP }),
  'uv-refused-when-discouraged': creating({}, { user_verification: 'discouraged' }),
  'short-authenticator-data-crashes': async (scene) => {
    const made = await scene.registered();
    const body = get(await scene.requestOptions(made), made, { response: { authenticatorData: 'AAAA' } });
    return await scene.login(body);
  },
} as const satisfies Record<string, Exchange>;
