import type { JSX } from 'preact';
import { getPath, sameJson, setPath } from '../../json.js';
import { AS_IN_JSON, check, isChanged, isChecked, readChoice, type Setting, writeChoice } from '../../setup/settings.js';
import { Check } from '../controls.js';
import { Frame } from './frame.js';
import type { EditedOptions } from './use-options.js';

interface SettingProps {
  readonly setting: Setting;
  readonly options: EditedOptions;
}

/** One setting: label, control and help, and if changed, a dot and a reset button. */
export function SettingControl({ setting, options }: SettingProps): JSX.Element {
  const { path, choices, several, help } = setting;
  const { dictionary, own, changed } = options;
  const id = `option-${dictionary}-${path.join('.')}`;
  const reset = () => {
    options.write(setPath(changed, path, undefined));
    // Its button goes.
    document.getElementById(several ? `${id}-0` : id)?.focus();
  };
  const sent = getPath(own, path);
  const shown = readChoice(setting, options);
  return (
    <Frame id={id} label={path.at(-1) ?? ''} changed={isChanged(setting, options)} help={help} group={several} onReset={reset}>
      {several ? (
        <div class="boxes">
          {choices.map((choice, index) => (
            <Check
              key={choice.label}
              id={`${id}-${index}`}
              checked={isChecked(setting, options, choice)}
              onCheck={(on) => options.write(check(setting, options, choice, on))}
            >
              {choice.label}
            </Check>
          ))}
        </div>
      ) : (
        <select
          id={id}
          value={shown}
          aria-describedby={help === undefined ? undefined : `${id}-help`}
          onChange={({ currentTarget }) => options.write(writeChoice(setting, options, currentTarget.value))}
        >
          {sent === undefined && <option value="">any</option>}
          {choices.map(({ label, value }) => (
            <option key={label} value={label}>
              {sameJson(value, sent) ? `${label} · default` : label}
            </option>
          ))}
          {shown === AS_IN_JSON && <option value={AS_IN_JSON}>as in the JSON</option>}
        </select>
      )}
    </Frame>
  );
}
