import type { JSX } from 'preact';
import type { SignalLeg, SignalOffer } from '../run.js';

interface SignalButtonProps {
  readonly id: string;
  readonly offer: SignalOffer;
  readonly onClick: () => void;
  /** Result of the signal sent by the last press of the button. */
  readonly outcome?: SignalLeg['outcome'] | undefined;
}

/** Button that sends a signal, with a warning about what the signal may delete or change. */
export function SignalButton({ id, offer: { method, button, warning }, onClick, outcome }: SignalButtonProps): JSX.Element {
  return (
    <div class="stack note fine warn signal">
      <p id={`${id}-warning`}>{warning}</p>
      <div class="line">
        <button
          id={id}
          type="button"
          class="wrap"
          title={`PublicKeyCredential.${method}()`}
          aria-describedby={`${id}-warning`}
          onClick={onClick}
        >
          {button}
        </button>
        {outcome !== undefined && <span class={outcome === 'sent' ? 'badge good' : 'badge bad'}>{outcome}</span>}
      </div>
    </div>
  );
}
