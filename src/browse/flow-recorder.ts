import { asObject, parseJson } from '../kernel/json-value.js';
import type { Step } from '../testing/page/flow.js';
import type { DevTools } from './devtools.js';
import { addPageScripts, type PageScript } from './page-script.js';

const BINDING = 'recordStep';

/** Chromium flag that lets a script read an element's role and name from the accessibility tree. */
export const RECORDER_FLAGS: readonly string[] = ['--enable-blink-features=ComputedAccessibilityInfo'];

/** Replaces what the user typed into a password field or another secret field. */
export const SECRET = '${env:FLOW_PASSWORD}';

const SCRIPT = `
const tell = (step) => globalThis.${BINDING}(JSON.stringify({ ...step, isFrame: window !== top }));
const CONTROLS = 'button, a, input, summary, select, textarea, [role]';
const NOT_TYPED = /^(button|checkbox|color|file|image|radio|range|reset|submit)$/;
const isTyped = (field) => field.tagName === 'TEXTAREA' || (field.tagName === 'INPUT' && !NOT_TYPED.test(field.type));
const secrets = new WeakSet();
const isSecret = (field) => {
  const tokens = String(field.getAttribute('autocomplete') ?? '').toLowerCase();
  if (field.type === 'password' || /(current|new)-password|one-time-code|cc-(number|csc)/.test(tokens)) secrets.add(field);
  return secrets.has(field);
};
// Before a page shows what was typed as plain text.
const note = () => document.querySelectorAll('input').forEach(isSecret);
for (const type of ['focusin', 'input', 'pointerdown']) addEventListener(type, note, true);
addEventListener('change', (event) => {
  const [field] = event.composedPath();
  if (!event.isTrusted || (!isTyped(field) && field.tagName !== 'SELECT')) return;
  const { computedRole: role, computedName: name } = field;
  tell({ role, name, ...(isTyped(field) ? { value: isSecret(field) ? null : field.value } : { isList: true }) });
}, true);
addEventListener('click', (event) => {
  const control = event.composedPath()[0].closest?.(CONTROLS);
  if (!event.isTrusted || !control || isTyped(control) || control.tagName === 'SELECT') return;
  tell({ role: control.computedRole, name: control.computedName });
}, true);`;

interface RecorderOptions {
  readonly onStep: (step: Step) => void;
  /** Called when the user does something that no step can repeat. `why` is the reason. */
  readonly onUnplayable: (why: string) => void;
}

/** Records what the user does in the pages of a browser: clicks, and text typed into fields. */
export class FlowRecorder {
  readonly #devtools: DevTools;
  readonly #sessions = new Set<string>();

  constructor(devtools: DevTools, { onStep, onUnplayable }: RecorderOptions) {
    this.#devtools = devtools;
    devtools.on(({ method, params, session = '' }) => {
      if (method !== 'Runtime.bindingCalled' || params['name'] !== BINDING || !this.#sessions.has(session)) return;
      const { role, name, value, isList, isFrame } = asObject(parseJson(String(params['payload'])));
      const control = { role: String(role), name: String(name) };
      if (name === '') onUnplayable(`a ${control.role} without an accessible name`);
      else if (isFrame === true) onUnplayable(`the ${control.role} ${JSON.stringify(name)}, which is in a frame`);
      else if (isList === true) onUnplayable(`the list ${JSON.stringify(name)}`);
      else if (value === undefined) onStep({ click: control });
      else onStep({ fill: control, value: value === null ? SECRET : String(value) });
    });
  }

  /** Starts recording the documents of a page or frame. After {@link forget}, call this again for a session to record it again. */
  async prepare(session: string): Promise<void> {
    this.#sessions.add(session);
    const script: PageScript = {
      source: `globalThis.isRecording ??= (() => {${SCRIPT}})() ?? true;`,
      world: 'passkey browse: recorder',
      binding: BINDING,
    };
    await addPageScripts(this.#devtools, session, [script]);
  }

  /** Stops recording the pages that are now open. */
  forget(): void {
    this.#sessions.clear();
  }
}

/** Adds a step to a flow. If the step types into the same field as the step before, it replaces that step. */
export function addStep(steps: readonly Step[], step: Step): readonly Step[] {
  const last = steps.at(-1);
  const isAgain = last !== undefined && 'fill' in last && 'fill' in step && JSON.stringify(last.fill) === JSON.stringify(step.fill);
  return [...(isAgain ? steps.slice(0, -1) : steps), step];
}
