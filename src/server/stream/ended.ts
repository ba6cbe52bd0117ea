import { withoutContents, withoutSecrets } from '../../fixture/response.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { CeremonyFinished } from '../../relying-party/events.js';
import type { Ceremony } from '../../relying-party/ports.js';

/**
 * A finished ceremony. If the relying party could not match the response to a ceremony, `ceremony` is the one that the response was meant
 * for.
 */
export interface Finished {
  readonly event: CeremonyFinished;
  readonly ceremony: Ceremony | undefined;
}

const NO_BYTES = new Uint8Array();

/** Removes secrets from a finished ceremony. Also removes data that neither the verification steps nor a fixture needs. */
export function trimEnd({ event, ceremony: full }: Finished): Finished {
  const ceremony = full && { ...full, options: withoutContents(full.options), client: '' };
  const { response, passkey, challenge, context } = event;
  return {
    ceremony,
    event: {
      ...event,
      context: context.userAgent === undefined ? {} : { userAgent: context.userAgent },
      ceremony: event.ceremony && ceremony,
      // Without its ceremony the state may be that of another user's challenge.
      challenge: challenge !== undefined && challenge.status !== 'elsewhere' && ceremony === undefined ? { status: 'unknown' } : challenge,
      response: withoutSecrets(response),
      passkey: passkey && trimPasskey(passkey),
    },
  };
}

function trimPasskey(passkey: Passkey): Passkey {
  const credential = { ...passkey.credential, attestationObject: NO_BYTES, attestationClientDataJSON: NO_BYTES };
  return { ...passkey, challenge: NO_BYTES, clientExtensionResults: {}, credential };
}
