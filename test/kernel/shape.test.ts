import { readFile } from 'node:fs/promises';
import * as Type from 'typebox';
import { Compile } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { FIXTURE_SCHEMAS } from '../../src/fixture/format.js';
import { makeShape } from '../../src/kernel/shape.js';
import { AuditEntry } from '../../src/store/audit/entry.js';
import { HeadLine, LINES } from '../../src/store/log-lines.js';
import { ROWS } from '../../src/store/records.js';

const TIME = '2026-01-15T10:30:00.000000Z';
const OWNER = { type: 'User', id: 1, email: 'ada@example.com', name: 'Ada', user_handle: null, created_at: TIME };
const PASSKEY = {
  id: 1,
  label: 'Key',
  owner_type: 'User',
  owner_id: 1,
  user_handle: 'AA',
  rp_id: 'example.com',
  rp_name: 'Example',
  origin: 'https://example.com',
  credential_id: 'AA',
  public_key: 'AA',
  sign_count: 0,
  uv_initialized: true,
  transports: ['usb'],
  backup_eligible: false,
  backup_state: false,
  aaguid: '00000000-0000-0000-0000-000000000000',
  attestation_format: 'none',
  attestation_trust: 'none',
  attestation_object: '',
  attestation_client_data_json: '',
  authenticator_attachment: null,
  client_extension_results: { credProps: { rk: true } },
  challenge: 'AA',
  created_at: TIME,
  last_used_at: null,
  revoked_at: TIME,
  revoked_reason: 'lost',
  counter_regressions: 0,
  counter_regressed_at: null,
};
const ACCESS = {
  id: 1,
  kind: 'token',
  owner_type: 'User',
  owner_id: 1,
  hash: 'AA',
  passkey_id: null,
  label: null,
  created_at: TIME,
  expires_at: null,
  revoked_at: null,
};
const HEAD = { passkey_store: 1, file: '0'.repeat(32), next_passkey_id: 2, next_access_id: 2, rows: 3 };

const NONE = Object.fromEntries(Object.keys(AuditEntry.properties).map((name) => [name, null]));
const ENTRY = { ...NONE, at: TIME, action: 'revoke', outcome: 'done', via: 'page', revoked_passkeys: [1, 2] };

const [VERIFIED, REJECTED] = await Promise.all(
  ['recorded/registration-packed.json', 'invalid/authentication-challenge-used.json'].map(fixture),
);

async function fixture(name: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8'));
}

const Choice = Type.Union([Type.Enum(['x', 'y']), Type.Array(Type.Integer(), { minItems: 1, maxItems: 1 })]);
const KEYWORDS = Type.Object({
  record: Type.Record(Type.String(), Choice),
  number: Type.Number({ exclusiveMinimum: 0 }),
  text: Type.Unsafe({ type: ['string', 'null'], minLength: 1, maxLength: 4 }),
});

/** What stands in for every value in turn; `undefined` leaves it out. */
const OTHERS = [undefined, null, true, 0, -1, 1.5, 2 ** 53, '', 'x y', TIME, [], [1], {}, { a: 1 }];

/** Copies of a value in which one value, at any depth, is another. */
function* changed(value: unknown): Generator<unknown> {
  yield* OTHERS;
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) for (const other of changed(each)) yield value.with(index, other);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      for (const other of changed(each)) {
        const rest = Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
        yield other === undefined ? rest : { ...rest, [name]: other };
      }
    }
  }
}

describe('the shape of a schema', () => {
  test.each([
    ['of the head of a store', HeadLine, HEAD],
    ['of an owner', ROWS.owners, OWNER],
    ['of a removed owner', ROWS.removed_owners, { type: 'User', id: 1 }],
    ['of a passkey', ROWS.passkeys, PASSKEY],
    ['of an entry of the audit log', AuditEntry, ENTRY],
    ['of an access', ROWS.accesses, { ...ACCESS, last_used_at: TIME }],
    ['of a line of a store', LINES.access, { access: ACCESS, more: true }],
    ['with every keyword', KEYWORDS, { record: { a: 'x', b: [1] }, number: 1, text: null }],
    ['of a fixture that is verified', FIXTURE_SCHEMAS.verified, VERIFIED],
    ['of a fixture that is rejected', FIXTURE_SCHEMAS.rejected, REJECTED],
  ])('%s takes what TypeBox takes, and nothing else', (_, schema, good) => {
    const [shape, theirs] = [makeShape<Type.TSchema>(schema), Compile(schema)];
    expect([shape.fits(good), theirs.Check(good)]).toEqual([true, true]);
    const seen = { fits: 0, refused: 0 };
    for (const value of changed(good)) {
      expect([value, shape.fits(value)]).toEqual([value, theirs.Check(value)]);
      seen[shape.fits(value) ? 'fits' : 'refused'] += 1;
    }
    expect(Math.min(seen.fits, seen.refused)).toBeGreaterThan(1);
  });

  test('counts characters and items', () => {
    const shape = makeShape(
      Type.Object({ name: Type.String({ minLength: 1, maxLength: 3 }), list: Type.Array(Type.Null(), { minItems: 1 }) }),
    );
    const found = (name: string, list: readonly null[]) => (shape.fits({ name, list }) ? 'fits' : shape.findMisfits({ name, list })[0]);
    expect([found('abc', [null]), found('a', [null, null])]).toEqual(['fits', 'fits']);
    expect(found('', [null])).toMatchObject({ place: '/name', message: 'must have at least 1 character, it has 0' });
    expect(found('abcd', [null])).toMatchObject({ place: '/name', message: 'must have at most 3 characters, it has 4' });
    expect(found('a', [])).toMatchObject({ place: '/list', message: 'must have at least 1 item, it has 0' });
  });

  test('names the place, however deep', () => {
    const shape = makeShape<Type.TSchema>(LINES.passkey);
    const found = (passkey: object) => shape.findMisfits({ passkey: { ...PASSKEY, ...passkey } })[0];
    expect(found({ transports: ['usb', 1] })).toMatchObject({
      place: '/passkey/transports/1',
      message: 'must be a string, it is a number',
    });
    expect(found({ sign_count: -1 })).toMatchObject({ place: '/passkey/sign_count', message: 'must be at least 0, it is -1' });
    expect(found({ colour: 'red' })).toMatchObject({ place: '/passkey/colour', message: 'is a member that this version does not know' });
    expect(makeShape(Type.Object({ 'c/d~e': Type.Null() })).findMisfits({})).toMatchObject([{ place: '/c~1d~0e', message: 'is missing' }]);
    expect(makeShape<Type.TSchema>(LINES.owner).findMisfits({ owner: { type: 'User' } })[0]).toMatchObject({
      place: '/owner/id',
      message: 'is missing',
    });
  });

  test('refuses a schema that says more than it reads', () => {
    const reading = (schema: Type.TSchema) => () => makeShape(Type.Object({ member: schema })).fits({ member: 'text' });
    expect(reading(Type.String({ contentMediaType: 'text/plain' }))).toThrow(/keywords .*; got contentMediaType/);
    expect(reading(Type.Object({}, { additionalProperties: Type.Integer() }))).toThrow(
      'Expected additionalProperties to be true or false.',
    );
  });
});
