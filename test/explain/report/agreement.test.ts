import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import type { PasskeyError } from '../../../src/errors.js';
import { readCredential } from '../../../src/explain/annotate/read-credential.js';
import type { KnownRegistration } from '../../../src/explain/report/known-ceremony.js';
import { reportRegistration } from '../../../src/explain/report/report.js';
import { concatBytes } from '../../../src/kernel/bytes.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import type { CborMap } from '../../../src/webauthn/cbor.js';
import { fc, PROPERTY_RUNS } from '../../properties.js';
import { AAGUID, es256Key, ORIGIN, type RegistrationFields, RP_ID, registrationResponse } from '../../relying-party/ceremony.js';
import { makeCertificate } from '../../relying-party/certificate.js';
import { createWorld, OWNER } from '../../relying-party/world.js';

const NOW = Date.now();
const YEAR = 365 * 86_400_000;
const key = es256Key();
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const certificateOf = (CN: string, androidChallenge?: Uint8Array) =>
  makeCertificate({
    subject: { C: 'SE', O: 'Test', OU: 'Authenticator Attestation', CN },
    issuer: { C: 'SE', O: 'Test', OU: 'CA', CN: 'Root' },
    publicKey,
    privateKey,
    ca: false,
    from: NOW - YEAR,
    to: NOW + YEAR,
    serial: 3,
    aaguid: AAGUID,
    ...(androidChallenge && { androidChallenge }),
  });
const packedCertificate = certificateOf('Packed');

type Statement = NonNullable<RegistrationFields['attStmt']>;
const statement = (entries: [string, number | Uint8Array | Uint8Array[]][]): CborMap => new Map(entries);
const STATEMENTS: Readonly<Record<string, { readonly fmt: string; readonly attStmt: Statement }>> = {
  none: { fmt: 'none', attStmt: () => new Map() },
  self: {
    fmt: 'packed',
    attStmt: (authData, hash) =>
      statement([
        ['alg', -7],
        ['sig', sign('sha256', concatBytes(authData, hash), key.privateKey)],
      ]),
  },
  certified: {
    fmt: 'packed',
    attStmt: (authData, hash) =>
      statement([
        ['alg', -7],
        ['sig', sign('sha256', concatBytes(authData, hash), privateKey)],
        ['x5c', [packedCertificate]],
      ]),
  },
};

interface Edit {
  readonly of: 'clientDataJSON' | 'authData' | 'attestationObject';
  readonly at: number;
  readonly value: number;
}
const edits = fc.option(
  fc.record<Edit>({ of: fc.constantFrom('clientDataJSON', 'authData', 'attestationObject'), at: fc.nat(900), value: fc.nat(255) }),
  { freq: 4, nil: undefined },
);
const changed = (bytes: Uint8Array, { at, value }: Edit) =>
  at % 40 === 0 ? concatBytes(bytes, Uint8Array.of(value)) : bytes.with(at % bytes.length, value);

test('the server accepts what explain accepts, refuses everything else, and says the same of it', { timeout: 180_000 }, async () => {
  const seen = { accepted: 0, rejected: 0, undecided: 0 };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(STATEMENTS)), edits, async (name, edit) => {
      const world = createWorld({ key });
      world.clock.now = NOW;
      const { challenge } = await world.beginRegistration();
      const made = STATEMENTS[name];
      const response = registrationResponse({
        key,
        challenge,
        ...made,
        change: edit ? { [edit.of]: (bytes: Uint8Array) => changed(bytes, edit) } : {},
      });
      const known: KnownRegistration = {
        rpId: RP_ID,
        origins: [ORIGIN],
        challenge: { status: 'open', challenge: decodeBase64url(challenge) },
        topOrigins: [],
        userVerification: 'preferred',
        options: undefined,
        at: NOW,
        algorithms: [-7, -257],
        attestationRoots: [],
        credentialKnown: false,
      };
      const report = await reportRegistration(readCredential({ ...response }), known);
      const refused = await world.relyingParty.register({ owner: OWNER, response }).then(
        () => undefined,
        (error: PasskeyError) => error,
      );
      seen[report.verdict] += 1;
      if (report.verdict === 'rejected') {
        expect(refused?.code).toBe(report.failed?.code);
        const { slug, hint } = report.failed ?? {};
        // The server knows only that it issued no such challenge; the report knows which it was. And the server knows whether the ceremony
        // was a conditional create, which the report was not told.
        const saysOtherwise = slug === 'challenge' || slug === 'user-present';
        expect(refused?.step).toMatchObject(saysOtherwise ? { slug } : { slug, hint });
      }
      // What this Node cannot verify is left open, whatever the library says of it, and refused.
      expect(refused === undefined).toBe(report.verdict === 'accepted');
      if (report.library.verdict === 'not-asked') {
        // Its certificates are not given to the library where one cannot be read.
        expect(report.attestation?.checks).toContainEqual(expect.objectContaining({ slug: 'certificates', status: 'fail' }));
      } else if (report.verdict !== 'undecided' && report.library.verdict !== report.verdict) expect(report.difference).toBeDefined();
    }),
    { numRuns: PROPERTY_RUNS },
  );
  expect(seen.accepted).toBeGreaterThan(PROPERTY_RUNS / 15);
  expect(seen.rejected).toBeGreaterThan(PROPERTY_RUNS / 3);
});
