import { PasskeyError } from '../../errors.js';
import type { JsonObject } from '../../kernel/json-value.js';
import type { TamperRequest } from '../../server/software-answers.js';
import { setClientData } from '../../simulate/engine/client-data-edits.js';
import { withClientData } from '../../simulate/engine/edits.js';
import { findMutation, findOtherChallenge } from '../../simulate/mutations/mutation.js';
import { type ResponseJson, readResponseJson, tamperAuthentication, tamperRegistration } from '../../simulate/mutations/tamper-response.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import type { MutationRow } from '../answer/document.js';
import { mutationRow } from '../answer/document.js';
import { findOptions } from '../answer/options.js';
import { otherChallenge } from '../answer/other-challenge.js';

/**
 * Breaks a browser's response on purpose. Returns the broken response, and the mutation that broke it.
 *
 * @throws PasskeyError `usage`, `validation_failed`, `not_applicable`
 */
export async function tamperDocument(request: TamperRequest): Promise<{ readonly response: JsonObject; readonly tamper: MutationRow }> {
  const { id, findChallenge } = request;
  const read = readResponseJson(request.response);
  const other = findOtherChallenge(id, read.kind);
  if (other === undefined) return { tamper: mutationRow(findMutation(id, read.kind)), response: await tampered(read, request) };
  const { response } = read;
  const { origin } = decodeClientData(decodeBase64url(response.response.clientDataJSON));
  const found = findOptions(request.options, 'options');
  const challenge = otherChallenge(other, { findChallenge, found, origin, credentialId: response.id });
  return { tamper: mutationRow(other.mutation), response: withClientData({ ...response }, setClientData({ challenge })) };
}

async function tampered(read: ResponseJson, { id, options, algorithmOf }: TamperRequest): Promise<JsonObject> {
  const found = findOptions(options, 'options');
  if (read.kind === 'registration' && found.ceremony === 'registration') {
    return await tamperRegistration({ id, options: found.options, response: read.response });
  }
  if (read.kind === 'registration' || found.ceremony === 'registration') {
    throw new PasskeyError(
      'validation_failed',
      `Expected the options that the response answers; got a response of ${read.kind} with the options of the other ceremony.`,
    );
  }
  const algorithm = await algorithmOf(read.response.id);
  if (algorithm === undefined) {
    throw new PasskeyError('passkey_not_found', 'This server has no passkey with the credential ID of the response. Register it first.');
  }
  return await tamperAuthentication({ id, options: found.options, response: read.response, algorithm });
}
