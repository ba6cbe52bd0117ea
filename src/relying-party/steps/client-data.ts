import { createHash } from 'node:crypto';
import { count } from '../../kernel/wording.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { type ClientData, decodeClientData } from '../../webauthn/client-data.js';
import { readFinding } from '../../webauthn/decoding-error.js';
import { CHALLENGE_HINTS, challengeHint, unknownChallengeHint } from '../diagnosis/challenge.js';
import { crossOriginHint, malformedHint } from '../diagnosis/hints.js';
import { originHint } from '../diagnosis/origin.js';
import { showHash, showId, showNames, showOrigin, showOrigins, showText } from '../show.js';
import type { ClientDataContext } from './context.js';
import { type Check, fail, pass, type StepResult, skip } from './step.js';

type ClientDataCheck = Check<ClientDataContext>;

/**
 * Makes a step that runs `check` if the client data can be read. If it cannot, an earlier step has already failed, and this step does not
 * apply.
 */
function onClientData(check: (clientData: ClientData, context: ClientDataContext) => StepResult): ClientDataCheck {
  return (context) => (context.clientData.ok ? check(context.clientData.value, context) : skip('the client data could not be read'));
}

/**
 * §7.1 step 5, §7.2 step 8: decodes the client data as UTF-8. The standard's "UTF-8 decode" replaces invalid bytes and removes a byte order
 * mark, so the step fails only if the client data is empty.
 */
export const clientDataText: ClientDataCheck = ({ clientDataJSON }) =>
  clientDataJSON.length > 0
    ? pass('UTF-8 text', count(clientDataJSON.length, 'byte'))
    : fail('client_data_malformed', {
        expected: 'UTF-8 text',
        received: 'nothing',
        hint: 'Send response.clientDataJSON as the browser gave it, base64url-encoded.',
      });

/** §7.1 step 6, §7.2 step 9: parses the client data as JSON. */
export const parseClientData: ClientDataCheck = ({ clientData, clientDataJSON }) =>
  clientData.ok
    ? pass('a JSON object with challenge and origin', `an object with ${showNames(Object.keys(clientData.value.raw))}`)
    : fail('client_data_malformed', {
        expected: 'a JSON object with challenge and origin',
        received: readFinding(clientData.error),
        hint: malformedHint(
          { member: 'clientDataJSON', bytes: clientDataJSON, decode: decodeClientData },
          'Send response.clientDataJSON byte for byte as the browser gave it; do not parse it and write it again.',
        ),
      });

/** Makes the check of §7.1 step 7 or §7.2 step 10: `type` has the expected value. */
export function clientDataType(expected: 'webauthn.create' | 'webauthn.get'): ClientDataCheck {
  const [call, other, otherType] =
    expected === 'webauthn.create' ? ['create()', 'a login', 'webauthn.get'] : ['get()', 'a registration', 'webauthn.create'];
  return onClientData(({ type, raw }) =>
    type === expected
      ? pass(showText(expected), showText(type))
      : fail('type_mismatch', {
          expected: showText(expected),
          received: type === undefined ? (Object.hasOwn(raw, 'type') ? 'a type that is not a string' : 'none') : showText(type),
          hint:
            type === undefined
              ? `Send response.clientDataJSON byte for byte as navigator.credentials.${call} gave it; every client writes a type.`
              : `Send what navigator.credentials.${call} gave; this looks like the response of ${type === otherType ? other : 'another API'}.`,
        }),
  );
}

/** §7.1 step 8, §7.2 step 11: `challenge` is the one that the server issued. */
export const clientDataChallenge: ClientDataCheck = onClientData(({ challenge: received }, { challenge: state }) => {
  const failure = (code: 'challenge_unknown' | 'challenge_used' | 'challenge_expired', expected: string, hint: string) =>
    fail(code, { expected, received: showChallenge(received), hint });
  switch (state.status) {
    case 'unknown':
      return failure('challenge_unknown', 'a challenge that was issued here', unknownChallengeHint(received));
    case 'elsewhere':
      return failure(
        'challenge_unknown',
        'a challenge that was issued for this',
        `The challenge was issued for ${state.why}. Request options for this ceremony, and answer those.`,
      );
    case 'used':
      return failure('challenge_used', 'an unused challenge', CHALLENGE_HINTS.used);
    case 'expired':
      return failure('challenge_expired', 'a challenge that has not expired', CHALLENGE_HINTS.expired);
    case 'open': {
      const expected = encodeBase64url(state.challenge);
      return received === expected
        ? pass(showId(state.challenge), showChallenge(received))
        : failure('challenge_unknown', `${showId(state.challenge)} as base64url without padding`, challengeHint(received, state.challenge));
    }
  }
});

/** Shortens a challenge, even if it is part of a longer text, since readers of messages must not learn a challenge that is still valid. */
function showChallenge(text: string): string {
  const bytes = decodeBase64(text)?.bytes;
  return bytes === undefined ? showText(text.replaceAll(/[\w+/-]{22,}/g, (run) => `${run.slice(0, 8)}…`)) : showId(bytes);
}

/** §7.1 step 9, §7.2 step 12: `origin` is one of the expected origins. */
export const clientDataOrigin: ClientDataCheck = onClientData(({ origin }, { origins }) =>
  origins.includes(origin)
    ? pass(showOrigins(origins), showOrigin(origin))
    : fail('origin_mismatch', { expected: showOrigins(origins), received: showOrigin(origin), hint: originHint(origin, origins) }),
);

/** §7.1 step 10, §7.2 step 13: `crossOrigin` is true only if a cross-origin iframe is expected. */
export const clientDataCrossOrigin: ClientDataCheck = onClientData(({ crossOrigin, type }, { topOrigins }) => {
  const expected = topOrigins.length > 0 ? 'true or false' : 'false or absent';
  const received = crossOrigin === undefined ? 'absent' : String(crossOrigin);
  return crossOrigin === true && topOrigins.length === 0
    ? fail('cross_origin_not_allowed', {
        expected,
        received,
        hint: crossOriginHint(type),
      })
    : pass(expected, received);
});

/** §7.1 step 11, §7.2 step 14: `topOrigin` is one of the expected origins. A client sets it only if `crossOrigin` is true (§5.8.1). */
export const clientDataTopOrigin: ClientDataCheck = onClientData(({ crossOrigin, topOrigin }, { topOrigins }) => {
  if (topOrigin === undefined) {
    return skip('topOrigin is absent');
  }
  const received = showOrigin(topOrigin);
  if (crossOrigin !== true) {
    return fail('top_origin_mismatch', {
      expected: 'no topOrigin unless crossOrigin is true',
      received,
      hint: 'A client sets topOrigin only inside an iframe of another origin, so this client data contradicts itself. Send response.clientDataJSON unchanged.',
    });
  }
  const expected = showOrigins(topOrigins);
  return topOrigins.includes(topOrigin)
    ? pass(expected, received)
    : fail('top_origin_mismatch', { expected, received, hint: originHint(topOrigin, topOrigins, '--top-origin') });
});

/** §7.1 step 12, §7.2 step 20: computes the hash of the client data. */
export const clientDataHash: ClientDataCheck = ({ clientDataJSON }) =>
  pass('a SHA-256 of the client data', showHash(createHash('sha256').update(clientDataJSON).digest()));

/** §7.1 step 4, §7.2 step 4: reads the client extension results. */
export const clientExtensionResults: ClientDataCheck = ({ clientExtensionResults: results }) =>
  pass('an object', Object.keys(results).length === 0 ? 'no extension output' : `outputs of ${showNames(Object.keys(results))}`);
