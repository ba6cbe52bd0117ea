import type { Fixture } from '../fixture/format.js';
import type { NewPasskey } from '../relying-party/credential-record.js';
import { decodeBase64url } from '../webauthn/base64url.js';
import type { Room } from './in-process.js';
import { objectOf } from './scenario.js';

/** An owner with the recorded id and user handle, so that the server does not make them anew. */
export async function seedOwner({ store }: Room, fixture: Fixture): Promise<void> {
  const { type, id, userHandle } = fixture.owner;
  const { name, displayName } = objectOf(fixture.ceremony.options.user);
  await store.insertOwner({
    type,
    id,
    email: typeof name === 'string' ? name : 'recorded@example.org',
    name: typeof displayName === 'string' ? displayName : 'Recorded user',
    createdAt: Date.parse(fixture.ceremony.issuedAt),
  });
  await store.fixUserHandle({ type, id }, decodeBase64url(userHandle));
}

/** What the relying party knew when the ceremony began: the asserted credential, and those that stood in its way. */
export async function seedPasskeys({ store }: Room, fixture: Fixture): Promise<void> {
  for (const id of fixture.ceremony.knownCredentials ?? []) await store.insertPasskey(placeholder(fixture, id));
  if (fixture.kind === 'authentication' && fixture.credential !== undefined) {
    await store.insertPasskey(passkeyOf(fixture, fixture.credential));
  }
}

function passkeyOf(fixture: Fixture, credential: NonNullable<Fixture['credential']>): NewPasskey {
  const { publicKey, signCount, uvInitialized, transports, backupEligible, backupState } = credential;
  return {
    owner: { type: fixture.owner.type, id: fixture.owner.id },
    userHandle: decodeBase64url(fixture.owner.userHandle),
    rpId: fixture.rpId,
    rpName: credential.rpName,
    origin: credential.origin,
    label: 'Recorded passkey',
    credential: {
      id: decodeBase64url(credential.id),
      publicKey: decodeBase64url(publicKey),
      signCount,
      uvInitialized,
      transports,
      backupEligible,
      backupState,
      // An authentication never looks at what the registration proved.
      attestationObject: new Uint8Array(),
      attestationClientDataJSON: new Uint8Array(),
    },
    aaguid: credential.aaguid,
    attestation: { format: credential.attestationFormat, trust: 'none' },
    authenticatorAttachment: undefined,
    clientExtensionResults: {},
    challenge: new Uint8Array(),
    createdAt: Date.parse(fixture.ceremony.issuedAt),
  };
}

/** A credential of which only its id plays a part. */
function placeholder(fixture: Fixture, id: string): NewPasskey {
  return passkeyOf(fixture, {
    id,
    publicKey: '',
    signCount: 0,
    uvInitialized: false,
    backupEligible: false,
    backupState: false,
    transports: [],
    aaguid: '00000000-0000-0000-0000-000000000000',
    attestationFormat: 'none',
    rpName: fixture.rpId,
    origin: fixture.ceremony.origins[0] ?? fixture.origin,
  });
}
