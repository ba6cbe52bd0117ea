import { Compile } from 'typebox/schema';
import { expect, test } from 'vitest';
import type { Passkey } from '../../src/relying-party/credential-record.js';
import {
  PasskeyBody,
  PasskeyDocument,
  PasskeyRow,
  passkeyBody,
  passkeyDocument,
  passkeyRow,
} from '../../src/relying-party/passkey-document.js';
import { openStore } from '../../src/store/open-store.js';
import { passkeyToRow } from '../../src/store/records.js';
import { seedStore } from '../cli/seeded-store.js';
import { tempFolder } from '../cli/temp-folder.js';

async function seeded(): Promise<Passkey[]> {
  const store = await openStore(await seedStore(await tempFolder()), { create: false });
  const passkeys = await store.listPasskeys({ revoked: true });
  await store.close();
  return passkeys;
}

/** What the file has besides the document: what must not be shown. */
const SECRET = ['attestation_object', 'attestation_client_data_json', 'client_extension_results', 'challenge'];
/** What the document has besides the file: names that follow from stored members, and the owner's e-mail. */
const DERIVED = { passkeeable_email: 'ada@example.com', provider: 'iCloud Keychain', algorithm: null };

test('each size is what its schema says, and a subset of the next but for the alphabet of the credential ID', async () => {
  const passkeys = await seeded();
  expect(passkeys).not.toEqual([]);
  const sizes = [
    { schema: Compile(PasskeyBody), make: passkeyBody },
    { schema: Compile(PasskeyRow), make: passkeyRow },
    { schema: Compile(PasskeyDocument), make: (passkey: Passkey) => passkeyDocument(passkey, 'ada@example.com') },
  ];
  for (const passkey of passkeys) {
    let smaller: object = {};
    for (const { schema, make } of sizes) {
      const document = make(passkey);
      expect(schema.Errors(document)[1]).toEqual([]);
      const { credential_id: spelled, ...rest } = document;
      expect(rest).toMatchObject(smaller);
      // HTTP answers in base64, commands in base64url.
      const encoding = make === passkeyRow ? 'base64url' : 'base64';
      expect(spelled).toBe(Buffer.from(passkey.credential.id).toString(encoding));
      smaller = rest;
    }
  }
});

test('the file speaks of a passkey in the same members, but for the owner and the alphabet of the credential ID', async () => {
  for (const passkey of await seeded()) {
    const { owner_id, owner_type, credential_id, ...row } = passkeyToRow(passkey);
    const stored = Object.fromEntries(Object.entries(row).filter(([name]) => !SECRET.includes(name)));
    const base64 = Buffer.from(credential_id, 'base64url').toString('base64');
    expect({ ...stored, ...DERIVED, passkeeable_id: owner_id, passkeeable_type: owner_type, credential_id: base64 }).toEqual(
      passkeyDocument(passkey, 'ada@example.com'),
    );
  }
});

test('an owner who was removed has no e-mail', async () => {
  const [passkey] = await seeded();
  if (passkey === undefined) throw new Error('Expected a passkey in the seeded store.');
  expect(passkeyDocument(passkey, undefined).passkeeable_email).toBeNull();
});
