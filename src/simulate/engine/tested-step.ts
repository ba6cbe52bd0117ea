import { AUTHENTICATION_TITLES, REGISTRATION_TITLES } from '../../relying-party/steps/procedure.js';
import { STEP_REVISION, type StepIdentity } from '../../relying-party/steps/step.js';
import type { TestedStep } from './report.js';

const TITLES: Readonly<Record<StepIdentity['section'], Readonly<Record<string, string>>>> = {
  '7.1': REGISTRATION_TITLES,
  '7.2': AUTHENTICATION_TITLES,
};

/** The step that a scenario tests, for the report; undefined when the procedure of its kind has no step of that name. */
export function testedStep(tags: readonly string[], slug: string | undefined): TestedStep | undefined {
  const section = tags.includes('registration') ? '7.1' : '7.2';
  const place = Object.keys(TITLES[section]).indexOf(slug ?? '');
  const title = TITLES[section][slug ?? ''];
  return slug === undefined || title === undefined ? undefined : { section, number: place + 1, revision: STEP_REVISION, slug, title };
}
