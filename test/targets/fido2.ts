import { asObject, isObject, type JsonObject } from '../../src/kernel/json-value.js';
import { ATTACHMENTS, REQUIREMENT_LEVELS } from '../../src/webauthn/enumerations.js';
import { type Answer, json, routes, serve, type Target } from './http.js';
import { type AskedOfRegistration, type CeremonySession, createRelyingParty, Refused, type RelyingParty } from './relying-party.js';
import { createSessions } from './sessions.js';
import { simpleWebAuthn, type Verifier } from './verifier.js';

/** What the conformance routes of SimpleWebAuthn offer; RS1 is left out. */
const ALGORITHMS = [-7, -8, -35, -36, -37, -38, -39, -257, -258, -259];

export interface Fido2Options {
  readonly verifier?: Verifier;
  readonly algorithms?: readonly number[];
}

/**
 * The server API of FIDO's conformance tools ("Transport Binding Profile"), as the conformance routes of SimpleWebAuthn
 * speak it: users by their name, what each request asks for, `status` and `errorMessage` in every answer.
 */
export function startFido2({ verifier = simpleWebAuthn, algorithms = ALGORITHMS }: Fido2Options = {}): Promise<Target> {
  return serve((url) => {
    const party = createRelyingParty({ rpId: 'localhost', rpName: 'FIDO Server', origins: [url], policy: { algorithms }, verifier });
    const sessions = createSessions<CeremonySession>('sid', () => ({}));

    return routes({
      'POST /attestation/options': (received) =>
        answered(async () => {
          const { state, headers } = sessions.open(received);
          const body = asObject(received.body);
          const user = findOrAddUser(party, textIn(body, 'username'), textIn(body, 'displayName'));
          return json(200, { ...OK, ...(await party.creationOptions(state, user, askedOfRegistration(body))) }, headers);
        }),
      'POST /attestation/result': (received) =>
        answered(async () => {
          await party.register(sessions.open(received).state, received.body);
          return json(200, OK);
        }),
      'POST /assertion/options': (received) =>
        answered(async () => {
          const { state, headers } = sessions.open(received);
          const body = asObject(received.body);
          const user = party.findUser(textIn(body, 'username'));
          if (user === undefined || party.passkeysOf(user).length === 0) throw new Refused('The user has no credentials.');
          const userVerification = levelIn(body, 'userVerification');
          const options = await party.requestOptions(state, { user, ...(userVerification && { userVerification }), ...extensionsIn(body) });
          return json(200, { ...OK, ...options }, headers);
        }),
      'POST /assertion/result': (received) =>
        answered(async () => {
          await party.authenticate(sessions.open(received).state, received.body);
          return json(200, OK);
        }),
    });
  });
}

const OK = { status: 'ok', errorMessage: '' } as const;
const ATTESTATIONS: readonly NonNullable<AskedOfRegistration['attestation']>[] = ['none', 'direct', 'enterprise'];

/** The answer to a request, or `failed` with the reason where it was refused. */
async function answered(answer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return json(400, { status: 'failed', errorMessage: error.message });
  }
}

function findOrAddUser(party: RelyingParty, name: string, displayName: string) {
  return party.findUser(name) ?? party.addUser(name, displayName);
}

function askedOfRegistration(body: JsonObject): AskedOfRegistration {
  const { authenticatorSelection } = body;
  // The library knows no "indirect".
  const attestation = body['attestation'] === 'indirect' ? 'direct' : oneOf(ATTESTATIONS, body, 'attestation');
  return {
    ...(attestation && { attestation }),
    ...(isObject(authenticatorSelection) && { authenticatorSelection: selectionIn(authenticatorSelection) }),
    ...extensionsIn(body),
  };
}

function selectionIn(asked: JsonObject): NonNullable<AskedOfRegistration['authenticatorSelection']> {
  const attachment = oneOf(ATTACHMENTS, asked, 'authenticatorAttachment');
  const residentKey = levelIn(asked, 'residentKey') ?? (asked['requireResidentKey'] === true ? 'required' : 'discouraged');
  return {
    residentKey,
    userVerification: levelIn(asked, 'userVerification') ?? 'preferred',
    ...(attachment && { authenticatorAttachment: attachment }),
  };
}

const extensionsIn = ({ extensions }: JsonObject) => (isObject(extensions) ? { extensions } : {});
const levelIn = (object: JsonObject, member: string) => oneOf(REQUIREMENT_LEVELS, object, member);

function oneOf<Value extends string>(values: readonly Value[], object: JsonObject, member: string): Value | undefined {
  const given = object[member];
  if (given === undefined) return undefined;
  const value = values.find((each) => each === given);
  if (value === undefined) throw new Refused(`${member} must be one of ${values.join(', ')}.`);
  return value;
}

function textIn(object: JsonObject, member: string): string {
  const value = object[member];
  if (typeof value !== 'string' || value === '') throw new Refused(`${member} must be a text.`);
  return value;
}
