import type { JSX } from 'preact';
import { sendFromPasskey } from '../../flow/signals.js';
import { acceptedSignal, detailsSignal, unknownSignal } from '../../signal-offers.js';
import { isRevoked, type PasskeyRow } from '../../state.js';
import { useApp, useAppState } from '../../use-app.js';
import { SignalButton } from '../signal-button.js';

/** The server gives neither to a bearer token from another machine, and signals need both. */
const UNTOLD =
  'The page does not know the rp.id and user handle of this passkey. The server reveals them only to a browser on its own machine.';

const ACCEPTED = 'The server knows it and still accepts it.';
const REVOKED = 'Restoring it on the server would not bring it back.';

/** The signals about a stored passkey, each with its warning. */
export function PasskeySignals({ passkey }: { readonly passkey: PasskeyRow }): JSX.Element {
  const app = useApp();
  const user = useAppState((state) => state.user);
  const passkeys = useAppState((state) => state.passkeys);
  const offers =
    passkey.rp_id === undefined
      ? []
      : [
          unknownSignal(passkey.rp_id, passkey.credential_id, isRevoked(passkey) ? REVOKED : ACCEPTED),
          acceptedSignal(passkey, passkeys),
          user === undefined ? undefined : detailsSignal(passkey, user),
        ].filter((offer) => offer !== undefined);
  const id = `passkey-${passkey.id}-signals`;
  return (
    <details id={id} class="part">
      <summary id={`${id}-summary`}>
        Signals to the authenticator<span class="unseen"> about {passkey.label}</span>
      </summary>
      {offers.length === 0 && <p class="hint">{UNTOLD}</p>}
      {offers.map((offer) => (
        <SignalButton
          key={offer.method}
          id={`passkey-${passkey.id}-${offer.method}`}
          offer={offer}
          onClick={() => void sendFromPasskey(app, passkey, offer)}
        />
      ))}
    </details>
  );
}
