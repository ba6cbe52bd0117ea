import type { JSX } from 'preact';
import { changedMembers } from '../../../kernel/changed-members.js';
import { isObject, type JsonObject } from '../../../kernel/json-value.js';
import type { Preset } from '../../../server/schemas/option-form.js';
import { getPath } from '../../json.js';
import { isPreset, withPreset } from '../../setup/presets.js';
import { statusLine } from '../../state.js';
import { useApp, useAppState } from '../../use-app.js';

/** Setups for common intents, each with what it sets. */
export function PresetList({ presets }: { readonly presets: readonly Preset[] }): JSX.Element {
  const { store } = useApp();
  const setup = useAppState((state) => state.setup);
  const chosen = presets.find((preset) => isPreset(setup, preset));
  return (
    <details class="presets fold">
      <summary>Presets{chosen !== undefined && <span class="badge accent">{chosen.name}</span>}</summary>
      <ul>
        {presets.map((preset) => (
          <li key={preset.name}>
            <button
              type="button"
              class="preset"
              aria-pressed={preset === chosen}
              onClick={() =>
                store.set({
                  setup: withPreset(store.get().setup, preset),
                  invalid: {},
                  ...statusLine(`The options are set for: ${preset.name}.`),
                })
              }
            >
              <strong>{preset.name}</strong>
              <span class="hint">{preset.about}</span>
              {setsOf(preset).map((line) => (
                <code key={line} class="hint">
                  {line}
                </code>
              ))}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The members that a preset sets, with their values where they are short; those of a login by themselves. */
function setsOf({ registration, authentication }: Preset): string[] {
  const sets = (changed: JsonObject) =>
    changedMembers(changed, {}).map((name) => {
      const path = name.split('.');
      const value = getPath(changed, path);
      return isObject(value) ? path.at(-1) : `${path.at(-1)}: ${String(value)}`;
    });
  return [['create()', sets(registration)] as const, ['get()', sets(authentication)] as const].flatMap(([call, members]) =>
    members.length === 0 ? [] : `${call} ${members.join(', ')}`,
  );
}
