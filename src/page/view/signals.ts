import { h } from '../dom.js';
import type { App } from '../flow/app.js';
import { sendFromPasskey } from '../flow/signals.js';
import type { SignalLeg, SignalOffer } from '../run.js';
import { acceptedSignal, detailsSignal, unknownSignal } from '../signal-offers.js';
import { type AppState, isRevoked, type PasskeyRow } from '../state.js';

/** To a bearer token from elsewhere the server tells neither of what the signals are made of. */
const UNTOLD = 'The page does not know rp.id and user handle of this passkey: the server tells them to a browser on its own machine only.';

const ACCEPTED = 'The server knows it and goes on accepting it.';
const REVOKED = 'Restoring it on the server would not bring it back.';

/** The signals that can be sent about a stored passkey, each with its warning. */
export function passkeySignals(
  app: App,
  { user, passkeys }: Pick<AppState, 'user' | 'passkeys'>,
  passkey: PasskeyRow,
  open: ReadonlySet<string>,
): Node {
  const id = `passkey-${passkey.id}-signals`;
  const offers =
    passkey.rp_id === undefined
      ? []
      : [
          unknownSignal(passkey.rp_id, passkey.credential_id, isRevoked(passkey) ? REVOKED : ACCEPTED),
          acceptedSignal(passkey, passkeys),
          user === undefined ? undefined : detailsSignal(passkey, user),
        ].filter((offer) => offer !== undefined);
  return h(
    'details',
    { id, class: 'part', open: open.has(id) },
    h('summary', { id: `${id}-summary` }, 'Signals to the authenticator', h('span', { class: 'unseen' }, ` about ${passkey.label}`)),
    ...(offers.length === 0
      ? [h('p', { class: 'hint' }, UNTOLD)]
      : offers.map((offer) =>
          signalButton(offer, {
            id: `passkey-${passkey.id}-${offer.method}`,
            onClick: () => void sendFromPasskey(app, passkey, offer),
          }),
        )),
  );
}

interface ButtonOptions {
  readonly id: string;
  readonly onClick: () => void;
  /** What came of it when it was last pressed. */
  readonly outcome?: SignalLeg['outcome'] | undefined;
}

/** A signal with what it may delete or change, and the button that sends it. */
export function signalButton({ method, button, warning }: SignalOffer, { id, onClick, outcome }: ButtonOptions): Node {
  return h(
    'div',
    { class: 'signal' },
    h('p', { id: `${id}-warning` }, warning),
    h(
      'div',
      { class: 'actions' },
      h('button', { id, type: 'button', title: `PublicKeyCredential.${method}()`, 'aria-describedby': `${id}-warning`, onClick }, button),
      outcome === undefined ? undefined : h('span', { class: outcome === 'sent' ? 'badge good' : 'badge bad' }, outcome),
    ),
  );
}
