import { verifyRegistrationResponse } from '@simplewebauthn/server';
import { asObject } from '../../src/kernel/json-value.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import type { Target } from './http.js';
import { startSimpleWebAuthn } from './simplewebauthn.js';
import { common, simpleWebAuthn, type Verifier } from './verifier.js';

/** Client data of a page that no other site holds in a frame. */
function checkFrames(clientDataJSON: string): void {
  const { crossOrigin, topOrigin } = asObject(
    JSON.parse(
      Buffer.from(clientDataJSON, 'base64url')
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    ),
  );
  if (crossOrigin === true || topOrigin !== undefined) throw new Error('Expected a page of its own; got one in a frame.');
}

/** @simplewebauthn/server, and in the application what the library leaves to it. */
function createVerifier(formats: readonly string[]): Verifier {
  const eligible = new Map<string, boolean>();
  return {
    async registration(response, expected) {
      checkFrames(response.response.clientDataJSON);
      const { registrationInfo } = await verifyRegistrationResponse({
        ...common(expected),
        response,
        supportedAlgorithmIDs: [...expected.algorithms],
      });
      if (registrationInfo === undefined || !formats.includes(registrationInfo.fmt)) return undefined;
      const { credential, credentialDeviceType } = registrationInfo;
      eligible.set(credential.id, credentialDeviceType === 'multiDevice');
      return credential;
    },
    async authentication(response, expected) {
      checkFrames(response.response.clientDataJSON);
      const { flags } = decodeAuthenticatorData(Buffer.from(response.response.authenticatorData, 'base64url'));
      if (flags.be !== eligible.get(response.id)) throw new Error('Expected the backup eligibility of the registration; got another.');
      return simpleWebAuthn.authentication(response, expected);
    },
  };
}

/** An application over SimpleWebAuthn that takes these formats, and asks for attestation where none is not among them. */
export function startCorrectApplication(formats: readonly string[]): Promise<Target> {
  const attestation = formats.includes('none') ? 'none' : 'direct';
  // Beside a statement of Android, the library reads keys on elliptic curves only.
  const algorithms = formats.includes('android-key') ? [-7] : [-7, -257];
  const policy = { algorithms, residentKey: 'discouraged', attestation } as const;
  return startSimpleWebAuthn('', { policy, verifier: createVerifier(formats) });
}
