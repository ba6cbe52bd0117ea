import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { AUTOFILL_TITLE, type Autofill } from '../flow/autofill.js';
import { runKey } from '../flow/run-log.js';
import { useApp, useAppState } from '../use-app.js';
import { Check } from './controls.js';
import { formatClock } from './time.js';

/** Milliseconds to wait after the last change of the options before the waiting autofill request is replaced. */
const SETTLED = 400;

const STATES = {
  off: 'Not waiting. Focus the field to start again.',
  arming: 'Asking the server for a challenge…',
  armed: 'Focus the field and pick a passkey.',
  unavailable: 'This browser does not support conditional mediation.',
} as const;

/**
 * Text field whose autofill offers passkeys. Shows the result next to the field, and never replaces the item that the user is looking at.
 */
export function AutofillField({ autofill }: { readonly autofill: Autofill }): JSX.Element {
  const { store } = useApp();
  const on = useAppState(({ setup }) => setup.autofill);
  const state = useAppState((app) => app.autofill);
  const [armedAt, setArmedAt] = useState<number>();
  useAutofill(autofill);
  useEffect(() => setArmedAt(state === 'armed' ? Date.now() : undefined), [state]);
  return (
    <div class="line autofill" data-on={on}>
      <Check id="autofill-switch" checked={on} onCheck={(checked) => store.set({ setup: { ...store.get().setup, autofill: checked } })}>
        Autofill
      </Check>
      {on && (
        <input
          id="autofill"
          type="text"
          autocomplete="username webauthn"
          aria-label="User name, with passkeys in its autofill"
          placeholder="User name"
          onFocus={() => void autofill.arm()}
        />
      )}
      <p id="autofill-state" class="hint" role="status" data-state={state}>
        {on && STATES[state]} {on && armedAt !== undefined && `Armed at ${formatClock(armedAt)}.`}
      </p>
      <LastEnd />
    </div>
  );
}

/** Shows how the last autofill run ended, with a link to it. */
function LastEnd(): JSX.Element | null {
  const { store } = useApp();
  const last = useAppState(({ runs }) => runs.find((run) => run.title === AUTOFILL_TITLE && run.outcome !== 'running'));
  const selected = useAppState((state) => state.selected);
  if (last === undefined || selected === runKey(last.id)) return null;
  return (
    <button type="button" class="quiet cut autofill-end" onClick={() => store.set({ selected: runKey(last.id) })}>
      Last: {last.summary}
    </button>
  );
}

/** Starts the autofill request when no ceremony is waiting, and replaces it after a change of the options. */
function useAutofill(autofill: Autofill): void {
  const { store } = useApp();
  useEffect(() => {
    let before = store.get().setup;
    let renewal: ReturnType<typeof setTimeout> | undefined;
    const armed = () => {
      if (store.get().waiting === undefined) void autofill.arm();
    };
    const ends = [
      store.watch(armed, ['waiting', 'mode']),
      store.watch(
        ({ setup }) => {
          if (setup.autofill !== before.autofill) {
            void (setup.autofill ? autofill.arm() : autofill.disarm());
          } else if (setup.autofill) {
            clearTimeout(renewal);
            renewal = setTimeout(() => void autofill.renew(), SETTLED);
          }
          before = setup;
        },
        ['setup'],
      ),
    ];
    armed();
    return () => {
      clearTimeout(renewal);
      for (const end of ends) end();
    };
  }, [store, autofill]);
}
