import { h } from '../dom.js';
import type { SignalLeg, SignalOffer } from '../run.js';

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
