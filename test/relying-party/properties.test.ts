import { describe, expect, test } from 'vitest';
import type { PasskeyError } from '../../src/errors.js';
import { concatBytes, encodeUtf8 } from '../../src/kernel/bytes.js';
import { type Judgement, judge, runSteps } from '../../src/relying-party/judge.js';
import { readAuthentication, readRegistration } from '../../src/relying-party/response.js';
import { verifyAuthentication, verifyRegistration } from '../../src/relying-party/simplewebauthn.js';
import { AUTHENTICATION_STEPS } from '../../src/relying-party/steps/authentication.js';
import { authenticationContext, decoded, type Expectation, registrationContext } from '../../src/relying-party/steps/context.js';
import { REGISTRATION_STEPS } from '../../src/relying-party/steps/registration.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { decodeClientData } from '../../src/webauthn/client-data.js';
import { fc, PROPERTY_RUNS } from '../properties.js';
import { authenticationResponse, CREDENTIAL_ID, es256Key, ORIGIN, RP_ID, registrationResponse, USER_HANDLE } from './ceremony.js';
import { createWorld, START } from './world.js';

const RUNS = { numRuns: PROPERTY_RUNS };
const TOP_ORIGIN = 'https://shop.example';
const STORED_COUNT = 5;
const key = es256Key();
const challenge = new Uint8Array(32).fill(9);

interface Edit {
  readonly kind: 'flip' | 'insert' | 'delete' | 'set';
  readonly at: number;
  readonly value: number;
}

function edit(bytes: Uint8Array, { kind, at, value }: Edit): Uint8Array {
  const index = at % (bytes.length + (kind === 'insert' ? 1 : 0));
  const [head, tail] = [bytes.subarray(0, index), bytes.subarray(index + (kind === 'insert' ? 0 : 1))];
  const middle = { flip: [(bytes[index] ?? 0) ^ (1 << (value % 8))], insert: [value], delete: [], set: [value] }[kind];
  return concatBytes(head, Uint8Array.from(middle), tail);
}

const edits = fc.record<Edit>({
  kind: fc.constantFrom('flip', 'insert', 'delete', 'set'),
  at: fc.nat(400),
  value: fc.nat(255),
});
/** Half of the time nothing, so that every other field gets its turn. */
const editing = fc.option(
  edits.map((change) => (bytes: Uint8Array) => edit(bytes, change)),
  { freq: 1, nil: undefined },
);
const mostly = <T>(good: T, ...others: readonly T[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: fc.constantFrom(good, ...others) });

const commonFields = {
  challenge: mostly(encodeBase64url(challenge), 'AAAA', `${encodeBase64url(challenge)}=`),
  origin: mostly(ORIGIN, 'http://example.org', 'https://www.example.org', ''),
  crossOrigin: mostly<boolean | undefined>(undefined, true, false),
  topOrigin: mostly<string | undefined>(undefined, TOP_ORIGIN, 'https://evil.example'),
  rpId: mostly(RP_ID, 'org', 'example.com'),
  flags: fc.oneof({ weight: 3, arbitrary: fc.constant(0x05) }, { weight: 1, arbitrary: fc.nat(255) }),
  signCount: fc.oneof(fc.constant(STORED_COUNT + 1), fc.nat(10), fc.constant(0xffffffff)),
};
const verifying = {
  userVerification: fc.constantFrom('required', 'preferred', 'discouraged'),
  topOrigins: fc.constantFrom([], [TOP_ORIGIN]),
} as const;

/** exactOptionalPropertyTypes: a field that is undefined is left out. */
function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

const withClientData = <T extends object>(received: T, clientDataJSON: Uint8Array): T => ({
  ...received,
  clientDataJSON,
  clientData: decoded(() => decodeClientData(clientDataJSON)),
});

/** The library never refuses alone: whatever it refuses a step refuses too, or a known difference explains. */
function verdictOf(judgement: Judgement): string | undefined {
  expect(judgement.decidedBy, 'refused, though no step fails').not.toBe('library');
  expect(judgement.verdict).toBe(judgement.failed === undefined ? 'accepted' : 'rejected');
  return judgement.failed?.slug;
}

/** Counts what the responses come to, to see that their generator reaches what it is for. */
function tally() {
  const outcomes = new Map<string, number>();
  return {
    count(outcome = 'accepted') {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    },
    expectVariety() {
      expect(outcomes.get('accepted') ?? 0).toBeGreaterThan(RUNS.numRuns / 100);
      expect(outcomes.size).toBeGreaterThan(10);
    },
  };
}

describe('whatever the response', () => {
  test('a registration is accepted exactly when no step fails', async () => {
    const outcomes = tally();
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          ...commonFields,
          ...verifying,
          type: mostly('webauthn.create', 'webauthn.get', 'x'),
          fmt: mostly('none', 'packed', 'other'),
          credentialId: mostly(CREDENTIAL_ID, new Uint8Array(1023), new Uint8Array(1024), new Uint8Array(1)),
          clientDataJSON: editing,
          authData: editing,
          attestationObject: editing,
        }),
        async ({ userVerification, topOrigins, clientDataJSON, authData, attestationObject, ...fields }) => {
          const change = defined({ clientDataJSON, authData, attestationObject });
          const response = registrationResponse({ key, ...defined(fields), change });
          const received = readRegistration(response);
          const expected = { rpId: RP_ID, origins: [ORIGIN], topOrigins, userVerification };
          const context = registrationContext(received, {
            ...expected,
            challenge: { status: 'open', challenge },
            algorithms: [-7, -257],
            attestationRoots: [],
            now: START,
            credentialKnown: false,
          });
          const library = await verifyRegistration(context, { ...expected, challenge, algorithms: [-7, -257] });
          outcomes.count(verdictOf(judge(runSteps(REGISTRATION_STEPS, context), context, library)));
        },
      ),
      RUNS,
    );
    outcomes.expectVariety();
  });

  test('an authentication is accepted exactly when no step fails', async () => {
    const outcomes = tally();
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          ...commonFields,
          ...verifying,
          type: mostly('webauthn.get', 'webauthn.create', 'x'),
          userHandle: mostly<Uint8Array | null>(USER_HANDLE, null, encodeUtf8('2')),
          backupEligible: fc.boolean(),
          allowCredentials: fc.constantFrom([], [CREDENTIAL_ID], [encodeUtf8('other')]),
          clientDataJSON: editing,
          authenticatorData: editing,
          signature: editing,
          sent: editing,
        }),
        async ({
          userVerification,
          topOrigins,
          backupEligible,
          allowCredentials,
          clientDataJSON,
          authenticatorData,
          signature,
          sent,
          ...fields
        }) => {
          const change = defined({ clientDataJSON, authenticatorData, signature });
          const response = authenticationResponse({ key, ...defined(fields), change });
          const received = readAuthentication(response);
          const altered = sent === undefined ? received : withClientData(received, sent(received.clientDataJSON));
          const credential = {
            id: CREDENTIAL_ID,
            publicKey: key.publicKey,
            signCount: STORED_COUNT,
            backupEligible,
            backupState: false,
            uvInitialized: true,
            userHandle: USER_HANDLE,
          };
          const expected = { rpId: RP_ID, origins: [ORIGIN], topOrigins, userVerification };
          const library = await verifyAuthentication(altered, { ...expected, challenge }, credential);
          const expectation: Expectation = { ...expected, challenge: { status: 'open', challenge } };
          const context = authenticationContext(altered, { ...expectation, credential, allowCredentials });
          outcomes.count(verdictOf(judge(runSteps(AUTHENTICATION_STEPS, context), context, library)));
        },
      ),
      RUNS,
    );
    outcomes.expectVariety();
  });

  test('the operations accept or refuse as their steps say, and tell so', async () => {
    const flipping = fc.option(fc.nat(600), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.record({ flags: fc.nat(0x1f), bit: flipping, origin: commonFields.origin }), async ({ flags, bit, origin }) => {
        const world = createWorld({ key, policy: { userVerification: 'required' } });
        await world.register();
        const flip = (bytes: Uint8Array) => edit(bytes, { kind: 'flip', at: bit ?? 0, value: bit ?? 0 });
        const response = await world.authentication({
          flags,
          origin,
          change: defined({ signature: bit === undefined ? undefined : flip }),
        });
        const outcome = await world.relyingParty.authenticate({ response }).catch((error: PasskeyError) => error);
        // UP and UV set, BE and BS not; the other bits are reserved or follow from the content.
        const sound = origin === ORIGIN && (flags & 0x1d) === 0x05 && bit === undefined;
        expect(outcome instanceof Error).toBe(!sound);
        expect(world.events.at(-1)).toMatchObject({ type: 'ceremony-finished', outcome: sound ? 'verified' : 'rejected' });
      }),
      { numRuns: 200 },
    );
  });
});
