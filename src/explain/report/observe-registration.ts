import { whyNoRpId } from '../../relying-party/diagnosis/rp-id.js';
import type { RegistrationContext } from '../../relying-party/steps/context.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { ignoredExtensions } from './ignored-extensions.js';
import type { Observation } from './observation.js';
import { userVerificationObservations } from './observe-user-verification.js';

/** What is worth saying of a registration beside its steps. `options` are the standard's JSON, `response` is that member of the credential. */
export function observeRegistration(
  context: RegistrationContext,
  { options, response }: { options?: JsonObject | undefined; response: JsonObject },
): Observation[] {
  const { clientData, authenticatorData, attestationObject, rpId } = context;
  const data = authenticatorData?.ok === true ? authenticatorData.value : undefined;
  const fmt = attestationObject.ok ? attestationObject.value.fmt : undefined;
  const impossible = clientData.ok && rpId !== '' ? whyNoRpId(rpId, clientData.value.origin) : undefined;
  return [
    ...(impossible === undefined ? [] : [{ slug: 'rp-id-impossible', message: impossible }]),
    ...aaguidObservations(data?.attestedCredentialData?.aaguid, fmt, options),
    ...conveyanceObservations(fmt, options),
    ...transportObservations(response),
    ...userVerificationObservations(data?.flags.uv, context.userVerification, requested(options)),
    ...discoverableObservations(context.clientExtensionResults, options),
    ...ignoredExtensions(options, context.clientExtensionResults, data?.extensions),
  ];
}

function requested(options: JsonObject | undefined): unknown {
  const selection = options?.['authenticatorSelection'];
  return isObject(selection) ? selection['userVerification'] : undefined;
}

function aaguidObservations(aaguid: Uint8Array | undefined, fmt: string | undefined, options: JsonObject | undefined): Observation[] {
  if (aaguid === undefined || !/^[0-]+$/.test(formatAaguid(aaguid))) {
    return [];
  }
  const why =
    fmt === 'fido-u2f'
      ? 'U2F security keys have none'
      : fmt === 'none' && (options?.['attestation'] ?? 'none') === 'none'
        ? 'no attestation was asked for, so the browser may hide the model'
        : 'this authenticator does not tell its model';
  const asked = options?.['attestation'] !== undefined && options['attestation'] !== 'none';
  const remedy = asked ? 'do not count on it' : 'ask for attestation "direct" only if you need to know it';
  return [{ slug: 'aaguid-zero', message: `The AAGUID is all zero, which is normal: ${why}; ${remedy}.` }];
}

function conveyanceObservations(fmt: string | undefined, options: JsonObject | undefined): Observation[] {
  const asked = options?.['attestation'];
  return fmt === 'none' && (asked === 'direct' || asked === 'indirect' || asked === 'enterprise')
    ? [
        {
          slug: 'attestation-none',
          message: `Attestation "${asked}" was asked for and none came, which is normal: passkey providers that sync have none, and users and browsers may withhold it; accept it, or say that only attested authenticators can be used.`,
        },
      ]
    : [];
}

function transportObservations({ transports }: JsonObject): Observation[] {
  return Array.isArray(transports) && transports.length > 0
    ? []
    : [
        {
          slug: 'transports-missing',
          message:
            'response.transports is missing or empty: store what getTransports() gives (toJSON() has it) and send it back in allowCredentials, or browsers cannot tell where to look for the passkey.',
        },
      ];
}

function discoverableObservations(results: JsonObject, options: JsonObject | undefined): Observation[] {
  const selection = options?.['authenticatorSelection'];
  const asked = isObject(selection) && (selection['residentKey'] === 'required' || selection['residentKey'] === 'preferred');
  const properties = results['credProps'];
  return asked && isObject(properties) && properties['rk'] === false
    ? [
        {
          slug: 'not-discoverable',
          message:
            'The credential is not discoverable (credProps.rk is false): it can be used only where allowCredentials names it, not for a login without user name.',
        },
      ]
    : [];
}
