import type { Fixture } from '../fixture/format.js';
import type { Mismatch } from './report.js';
import { objectOf } from './scenario.js';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Holds the options that the server under test sent against the recorded ones. Extensions, hints and lists of other
 * credentials are the recorded page's own affair and play no part in verification; they are left out.
 */
export function compareOptions(fixture: Fixture, sent: JsonObject, at: string): Mismatch[] {
  const recorded = { ...fixture.ceremony.options, challenge: fixture.ceremony.challenge };
  const wanted = fixture.kind === 'registration' ? creationMembers(recorded) : requestMembers(recorded, fixture);
  const received = fixture.kind === 'registration' ? creationMembers(sent) : requestMembers(sent, fixture);
  return Object.entries(wanted).flatMap(([member, value]) => {
    const [expected, got] = [JSON.stringify(value), JSON.stringify(received[member])];
    return value === undefined || expected === got ? [] : [{ at: `${at}: ${member}`, expected, received: got ?? 'nothing' }];
  });
}

/** Members that decide the outcome of a registration, by the path at which they stand. */
function creationMembers(options: JsonObject): JsonObject {
  const [rp, user, selection] = [objectOf(options.rp), objectOf(options.user), objectOf(options.authenticatorSelection)];
  return {
    challenge: options.challenge,
    'rp.id': rp.id,
    'rp.name': rp.name,
    'user.id': user.id,
    'user.name': user.name,
    'user.displayName': user.displayName,
    algorithms: algorithms(options.pubKeyCredParams),
    timeout: options.timeout,
    attestation: options.attestation,
    'authenticatorSelection.residentKey': selection.residentKey,
    'authenticatorSelection.userVerification': selection.userVerification,
  };
}

function algorithms(parameters: unknown): unknown {
  return Array.isArray(parameters) ? parameters.map((parameter) => objectOf(parameter).alg) : undefined;
}

/** The same of an authentication. */
function requestMembers(options: JsonObject, { ceremony }: Fixture): JsonObject {
  const { allowCredentials } = options;
  const ids = Array.isArray(allowCredentials) ? allowCredentials.map((descriptor) => objectOf(descriptor).id) : undefined;
  return {
    challenge: options.challenge,
    timeout: options.timeout,
    userVerification: options.userVerification,
    // Where a credential is named, it says of which RP it is; other endpoints than the API's may tell the RP ID all the same.
    ...(ceremony.discoverable ? { rpId: options.rpId } : { allowCredentials: ids }),
  };
}
