import { readCredential } from '../../src/explain/annotate/read-credential.js';
import { type CeremonyReport, reportAuthentication, reportRegistration } from '../../src/explain/report/report.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import type { CeremonyFinished } from '../../src/relying-party/events.js';
import { decodeBase64url } from '../../src/webauthn/base64url.js';

const json = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));

/**
 * What explain says of a ceremony that finished, given what the server knew.
 *
 * @throws PasskeyError for a malformed response, which cannot be explained.
 */
export async function explainedEvent({
  kind,
  ceremony,
  response,
  passkey,
  owner,
  error,
  policy,
  at,
}: CeremonyFinished): Promise<CeremonyReport> {
  const status = error?.code === 'challenge_used' ? 'used' : error?.code === 'challenge_expired' ? 'expired' : 'open';
  // A challenge issued for another purpose says nothing about this ceremony.
  const known = error?.code === 'challenge_unknown' ? undefined : ceremony;
  const common = {
    rpId: known?.rpId,
    origins: known?.origins,
    challenge: known && ({ status, challenge: known.challenge } as const),
    topOrigins: known?.topOrigins ?? [],
    userVerification: known?.userVerification ?? 'preferred',
    options: known && json(known.options),
    at,
  };
  if (kind === 'registration') {
    if (owner === undefined) throw new TypeError('Expected the owner of a registration; got none.');
    return reportRegistration(readCredential(json(response)), {
      ...common,
      algorithms: known?.algorithms,
      attestationRoots: policy.attestationRoots,
      selfAttestation: policy.selfAttestation,
      credentialKnown: error?.code === 'credential_already_registered',
    });
  }
  const asked = known?.credentialId ?? (known === undefined ? [] : listed(known.options));
  const allowCredentials = asked instanceof Uint8Array ? [asked] : asked;
  const credential = passkey === undefined ? ('unregistered' as const) : { ...passkey.credential, userHandle: passkey.userHandle };
  return reportAuthentication(readCredential(json(response)), { ...common, credential, allowCredentials });
}

function listed(options: Readonly<Record<string, unknown>>): Uint8Array[] {
  const { allowCredentials = [] } = json(options) as { allowCredentials?: { id: string }[] };
  return allowCredentials.map(({ id }) => decodeBase64url(id));
}
