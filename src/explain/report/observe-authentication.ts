import { whyNoRpId } from '../../relying-party/diagnosis/rp-id.js';
import type { AuthenticationContext } from '../../relying-party/steps/context.js';
import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { ignoredExtensions } from './ignored-extensions.js';
import type { Observation } from './observation.js';
import { userVerificationObservations } from './observe-user-verification.js';

/** What is worth saying of an authentication beside its steps. */
export function observeAuthentication(context: AuthenticationContext, { options }: { options?: JsonObject | undefined }): Observation[] {
  const { clientData, authenticatorData, rpId, credential, userHandle, allowCredentials } = context;
  const data = authenticatorData?.ok === true ? authenticatorData.value : undefined;
  const impossible = clientData.ok && rpId !== '' ? whyNoRpId(rpId, clientData.value.origin) : undefined;
  const backupChanged = data !== undefined && data.flags.be === credential.backupEligible && data.flags.bs !== credential.backupState;
  return [
    ...(impossible === undefined ? [] : [{ slug: 'rp-id-impossible', message: impossible }]),
    ...(data?.signCount === 0 && credential.signCount === 0
      ? [
          {
            slug: 'counter-zero',
            message:
              'The signature counter is 0, which is normal: synced passkeys and many others do not count, so clones cannot be told that way.',
          },
        ]
      : []),
    ...(userHandle === undefined && allowCredentials.length > 0
      ? [
          {
            slug: 'user-handle-null',
            message: 'There is no user handle, which is legal: the user was identified by allowCredentials before.',
          },
        ]
      : []),
    ...(backupChanged
      ? [
          {
            slug: 'backup-state-changed',
            message: data.flags.bs
              ? 'The passkey is backed up now (BS) and was not before: it may be synced to other devices; store the new state.'
              : 'The passkey is not backed up any more (BS is gone): offer a second one before this device is lost; store the new state.',
          },
        ]
      : []),
    ...userVerificationObservations(data?.flags.uv, context.userVerification, options?.['userVerification']),
    ...missingTransports(options),
    ...ignoredExtensions(options, context.clientExtensionResults, data?.extensions),
  ];
}

function missingTransports(options: JsonObject | undefined): Observation[] {
  const listed = options?.['allowCredentials'];
  const without =
    Array.isArray(listed) &&
    listed.some((entry: unknown) => isObject(entry) && !(Array.isArray(entry['transports']) && entry['transports'].length > 0));
  return without
    ? [
        {
          slug: 'transports-missing',
          message:
            'allowCredentials names a credential without transports: send those that the registration gave, or browsers cannot tell where to look for the passkey.',
        },
      ]
    : [];
}
