import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { OptionField } from '../../../server/schemas/option-form.js';
import { isChanged, listCredentials, listedCredentials, resetControl } from '../../setup/values.js';
import type { PasskeyRow } from '../../state.js';
import { useAppState } from '../../use-app.js';
import { Check, Search } from '../controls.js';
import { Marked } from '../text.js';
import type { EditedOptions } from './use-options.js';

export interface ControlProps<F extends OptionField = OptionField> {
  readonly field: F;
  readonly options: EditedOptions;
}

/** Id of the control of a member, and of its label and help with a suffix. */
export function controlId({ dictionary }: EditedOptions, { path }: OptionField): string {
  return `option-${dictionary}-${path.join('.')}`;
}

interface FrameProps {
  readonly id: string;
  readonly label: string;
  readonly changed: boolean;
  readonly help?: string | undefined;
  /** For several boxes: the label names their group. */
  readonly group?: boolean;
  readonly onReset?: () => void;
  readonly children: ComponentChildren;
}

/** Label, reset button and help around a control. */
export function Frame({ id, label: name, changed, help, group = false, onReset, children }: FrameProps): JSX.Element {
  const label = (
    <>
      {changed && <span class="dot accent" aria-hidden="true" />}
      <code>{name}</code>
      {changed && <span class="unseen"> (changed)</span>}
    </>
  );
  return (
    <div class={group ? 'option wide' : 'option'} role={group ? 'group' : undefined} aria-labelledby={group ? `${id}-label` : undefined}>
      <div class="option-head">
        {group ? <span id={`${id}-label`}>{label}</span> : <label for={id}>{label}</label>}
        {changed && onReset && (
          <button type="button" class="quiet icon" aria-label={`Reset ${name}`} title="Back to the server's own" onClick={onReset}>
            ↺
          </button>
        )}
      </div>
      {children}
      {help !== undefined && (
        <small id={`${id}-help`} class="hint">
          <Marked text={help} />
        </small>
      )}
    </div>
  );
}

/** The frame of a member of the options. */
export function ControlFrame({
  field,
  options,
  group = false,
  children,
}: ControlProps & Pick<FrameProps, 'group' | 'children'>): JSX.Element {
  const id = controlId(options, field);
  const reset = () => {
    options.write(resetControl(field, options));
    // Its button goes.
    document.getElementById(group ? `${id}-0` : id)?.focus();
  };
  return (
    <Frame id={id} label={field.label} changed={isChanged(field, options)} help={field.help} group={group} onReset={reset}>
      {children}
    </Frame>
  );
}

interface FoldProps {
  readonly count: number;
  /** Whether something in it was changed. */
  readonly changed: boolean;
  readonly children: ComponentChildren;
}

/** Rarely needed controls. They open for a change, and stay open when it is undone: closing would take the focus away. */
export function Fold({ count, changed, children }: FoldProps): JSX.Element {
  const opened = useRef(changed);
  opened.current ||= changed;
  return (
    <details class="fold" open={opened.current}>
      <summary>{count} more</summary>
      {children}
    </details>
  );
}

/** So many are seen at a glance; more get a search. */
const GLANCE = 8;

/** A list of credential descriptors: the server's own, none, or some of the stored passkeys. */
export function CredentialsControl({ field, options }: ControlProps<OptionField & { readonly kind: 'credentials' }>): JSX.Element {
  const passkeys = useAppState((state) => state.passkeys);
  const id = controlId(options, field);
  const listed = listedCredentials(options.changed, field.path);
  const foreign = useMemo(() => {
    const known = new Set(passkeys.map(({ credential_id: one }) => one));
    return listed?.filter((one) => !known.has(one)).length ?? 0;
  }, [passkeys, listed]);
  const write = (ids: readonly string[] | undefined) => options.write(listCredentials(options.changed, field.path, ids, passkeys));
  const inJson = listed === undefined && isChanged(field, options);
  return (
    <ControlFrame field={field} options={options}>
      <select
        id={id}
        value={inJson ? 'json' : listed === undefined ? '' : 'own'}
        aria-describedby={`${id}-help`}
        onChange={(event) => write(event.currentTarget.value === '' ? undefined : [])}
      >
        <option value="">{field.unset} · default</option>
        <option value="own">{listed === undefined || listed.length === 0 ? 'an empty list' : `these ${listed.length}`}</option>
        {inJson && <option value="json">as in the JSON</option>}
      </select>
      {listed !== undefined && (
        <PasskeyPicker passkeys={passkeys} name={field.label}>
          {({ credential_id: credential, id: passkey, label }) => (
            <Check
              key={passkey}
              id={`${id}-${passkey}`}
              checked={listed.includes(credential)}
              onCheck={(on) => write(on ? [...listed, credential] : listed.filter((one) => one !== credential))}
            >
              {label} #{passkey}
            </Check>
          )}
        </PasskeyPicker>
      )}
      {foreign > 0 && <small class="hint">and {foreign} that only the JSON shows</small>}
    </ControlFrame>
  );
}

interface PickerProps {
  readonly passkeys: readonly PasskeyRow[];
  /** The option that they are picked for. */
  readonly name: string;
  readonly children: (passkey: PasskeyRow) => JSX.Element;
}

/** The passkeys, newest first; with a search where they are many. */
export function PasskeyPicker({ passkeys, name, children }: PickerProps): JSX.Element {
  const [search, setSearch] = useState('');
  const found = passkeys.toReversed().filter(({ label, id }) => `${label} #${id}`.toLowerCase().includes(search.toLowerCase()));
  if (passkeys.length === 0) return <small class="hint">There are no passkeys yet.</small>;
  return (
    <div class="stack picker">
      {passkeys.length > GLANCE && (
        <Search
          name={`Search the passkeys for ${name}`}
          placeholder={`Search ${passkeys.length} passkeys`}
          value={search}
          onSearch={setSearch}
        />
      )}
      <div class="boxes scroll" role="group" aria-label={`Passkeys for ${name}`}>
        {found.map(children)}
        {found.length === 0 && <small class="hint">No passkey has this name.</small>}
      </div>
    </div>
  );
}
