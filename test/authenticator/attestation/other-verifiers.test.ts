import { parseAttestationObject } from '@oslojs/webauthn';
import { Fido2Lib } from 'fido2-lib';
import { describe, expect, test } from 'vitest';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import { challengeText, ORIGIN, RP_ID, registerAtOurs } from './registration.js';
import { attestable, WAYS } from './ways.js';

describe.each(WAYS)('$name', ({ attestation, fmt }) => {
  test.each(attestable(attestation))('$name', async ({ id: algorithm }) => {
    const { response } = await registerAtOurs({ authenticator: { attestation }, algorithm });
    const lib = new Fido2Lib({ rpId: RP_ID, attestation: 'direct', cryptoParams: [algorithm] });
    const buffer = (text: string) => Uint8Array.from(decodeBase64url(text)).buffer;
    const r = await lib
      .attestationResult(
        {
          rawId: buffer(response.id),
          id: buffer(response.id),
          response: { clientDataJSON: response.response.clientDataJSON, attestationObject: response.response.attestationObject },
        } as never,
        { challenge: challengeText, origin: ORIGIN, factor: 'either', rpId: RP_ID } as never,
      )
      .catch((e) => e);
    console.log(
      fmt,
      algorithm,
      'fido2',
      r instanceof Error ? r.message : r.audit.validExpectations + ' ' + r.audit.complete + ' ' + [...r.audit.warning.values()].join(';'),
    );
    try {
      const o = parseAttestationObject(decodeBase64url(response.response.attestationObject));
      console.log(fmt, algorithm, 'oslo', o.attestationStatement.format, o.authenticatorData.credential !== null);
    } catch (e) {
      console.log(fmt, algorithm, 'oslo', String(e));
    }
  });
});
