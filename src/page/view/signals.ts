import { h, hint } from '../dom.js';
import type { App } from '../flow/app.js';
import { sendFromPasskey } from '../flow/signals.js';
import type { SignalLeg, SignalOffer } from '../run.js';
import { acceptedSignal, detailsSignal, unknownSignal } from '../signal-offers.js';
import { type AppState, isRevoked, type PasskeyRow } from '../state.js';

/** The server gives neither to a bearer token from another machine, and signals need both. */
const UNTOLD =
  'The page does not know the rp.id and user handle of this passkey. The server reveals them only to a browser on its own machine.';

const ACCEPTED = 'The server knows it and still accepts it.';
const REVOKED = 'Restoring it on the server would not bring it back.';

/** The signals about a stored passkey, each with its warning. */
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
      ? [hint(UNTOLD)]
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
  /** Result of the last press. */
  readonly outcome?: SignalLeg['outcome'] | undefined;
}

/** The button that sends a signal, with a warning of what it may delete or change. */
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
