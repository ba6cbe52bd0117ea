import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Choice, OptionField } from '../../../server/schemas/option-form.js';
import { getPath, sameJson } from '../../json.js';
import { AS_IN_JSON, NOT_SENT, readControl, writeControl } from '../../setup/values.js';
import { isRevoked } from '../../state.js';
import { useAppState } from '../../use-app.js';
import { Check } from '../controls.js';
import { ControlFrame, type ControlProps, CredentialsControl, controlId, Fold, PasskeyPicker } from './control-frame.js';
import type { EditedOptions } from './use-options.js';

/** One member: label, control, help, and a dot and a reset where it was changed. */
export function OptionControl({ field, options }: ControlProps): JSX.Element {
  switch (field.kind) {
    case 'choice':
      return <ChoiceControl field={field} options={options} />;
    case 'set':
      return <SetControl field={field} options={options} />;
    case 'credentials':
      return <CredentialsControl field={field} options={options} />;
    case 'number':
    case 'text':
    case 'bytes':
      return <TextControl field={field} options={options} />;
  }
}

function ChoiceControl({ field, options }: ControlProps<OptionField & { readonly kind: 'choice' }>): JSX.Element {
  const id = controlId(options, field);
  const own = getPath(options.own, field.path);
  const shown = String(readControl(field, options));
  return (
    <ControlFrame field={field} options={options}>
      <select
        id={id}
        value={shown}
        aria-describedby={field.help === undefined ? undefined : `${id}-help`}
        onChange={(event) => options.write(writeControl(field, options, event.currentTarget.value))}
      >
        {own === undefined && <option value={NOT_SENT}>{field.unset ?? 'not sent'}</option>}
        {field.choices.map(({ label, value }) => (
          <option key={label} value={label}>
            {sameJson(value, own) ? `${label} · default` : label}
          </option>
        ))}
        {shown === AS_IN_JSON && <option value={AS_IN_JSON}>as in the JSON</option>}
      </select>
    </ControlFrame>
  );
}

function SetControl({ field, options }: ControlProps<OptionField & { readonly kind: 'set' }>): JSX.Element {
  const id = controlId(options, field);
  const value = readControl(field, options);
  const checked = Array.isArray(value) ? value : [];
  const { choices } = field;
  const box = ({ label }: Choice) => (
    <Check
      key={label}
      id={`${id}-${choices.findIndex((choice) => choice.label === label)}`}
      checked={checked.includes(label)}
      onCheck={(on) => options.write(writeControl(field, options, on ? [...checked, label] : checked.filter((other) => other !== label)))}
    >
      {label}
    </Check>
  );
  const rare = choices.filter((choice) => choice.rare === true);
  return (
    <ControlFrame field={field} options={options} group>
      <div class="boxes">{choices.filter((choice) => choice.rare !== true).map(box)}</div>
      {rare.length > 0 && (
        <Fold count={rare.length} changed={rare.some(({ label }) => checked.includes(label))}>
          <div class="boxes">{rare.map(box)}</div>
        </Fold>
      )}
    </ControlFrame>
  );
}

/** Shows what is typed until it is left, then what became of it. */
function TextControl({ field, options }: ControlProps): JSX.Element {
  const [typed, setTyped] = useState<string>();
  const id = controlId(options, field);
  return (
    <ControlFrame field={field} options={options}>
      <input
        id={id}
        type="text"
        inputMode={field.kind === 'number' ? 'numeric' : undefined}
        autocomplete="off"
        value={typed ?? String(readControl(field, options))}
        placeholder={field.unset ?? 'not sent'}
        aria-describedby={field.help === undefined ? undefined : `${id}-help`}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          options.write(writeControl(field, options, event.currentTarget.value));
        }}
        onBlur={() => setTyped(undefined)}
      />
    </ControlFrame>
  );
}

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
