import type { Preset } from '../../server/schemas/option-form.js';
import { sameJson } from './own-options.js';
import type { Setup } from './setup.js';

/** The setup with the options of a preset; application and autofill stay. */
export function withPreset(setup: Setup, { registration, authentication }: Preset): Setup {
  return { ...setup, registration, authentication };
}

export function isPreset({ registration, authentication }: Setup, preset: Preset): boolean {
  return sameJson(registration, preset.registration) && sameJson(authentication, preset.authentication);
}
