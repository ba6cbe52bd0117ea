import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { isRevoked } from '../../state.js';
import { useAppState } from '../../use-app.js';
import { OptionControl } from './controls.js';
import { PasskeyPicker } from './credentials-control.js';
import type { EditedOptions } from './use-options.js';

/** One PRF input for each stored passkey (WebAuthn L3 §10.1.4, evalByCredential). */
export function PrfByCredential({ options }: { readonly options: EditedOptions }): JSX.Element {
  const passkeys = useAppState((state) => state.passkeys);
  const [open, setOpen] = useState(false);
  const live = useMemo(() => passkeys.filter((passkey) => !isRevoked(passkey)), [passkeys]);
  return (
    <details class="fold wide" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code>prf.evalByCredential</code> one input for each passkey
      </summary>
      {open && (
        <PasskeyPicker passkeys={live} name="prf.evalByCredential">
          {({ credential_id: credential, id, label }) => (
            <OptionControl
              key={id}
              field={{
                kind: 'bytes',
                label: `${label} #${id}`,
                path: ['extensions', 'prf', 'evalByCredential', credential, 'first'],
              }}
              options={options}
            />
          )}
        </PasskeyPicker>
      )}
    </details>
  );
}
