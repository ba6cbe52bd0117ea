import type { JSX } from 'preact';
import type { SignalLeg, SignalOffer } from '../run.js';

interface SignalButtonProps {
  readonly offer: SignalOffer;
  readonly id: string;
  readonly onClick: () => void;
  /** Result of the last press. */
  readonly outcome?: SignalLeg['outcome'] | undefined;
}

/** The button that sends a signal, with a warning of what it may delete or change. */
export function SignalButton({ offer, id, onClick, outcome }: SignalButtonProps): JSX.Element {
  const { method, button, warning } = offer;
  return (
    <div class="signal">
      <p id={`${id}-warning`}>{warning}</p>
      <div class="actions">
        <button id={id} type="button" title={`PublicKeyCredential.${method}()`} aria-describedby={`${id}-warning`} onClick={onClick}>
          {button}
        </button>
        {outcome !== undefined && <span class={outcome === 'sent' ? 'badge good' : 'badge bad'}>{outcome}</span>}
      </div>
    </div>
  );
}
