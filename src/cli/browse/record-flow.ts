import { resolve } from 'node:path';
import type { EndedCeremony } from '../../browse/ceremony.js';
import type { DevTools } from '../../browse/devtools.js';
import { addStep, FlowRecorder, SECRET } from '../../browse/flow-recorder.js';
import { count } from '../../kernel/wording.js';
import { replaceFile } from '../../store/replace-file.js';
import type { Step } from '../../testing/page/flow.js';
import { type Io, say } from '../io.js';
import { printable } from '../output/printable.js';

/** Name of each recorded flow, by the kind of ceremony that ends the flow. */
const NAMES = { registration: 'register', authentication: 'login' } as const;

interface FlowRecording {
  /** Starts recording the documents of a page or frame. */
  readonly prepare: (session: string) => Promise<void>;
  /** Opens the browser window for the first flow. */
  readonly open: () => Promise<void>;
  /** Handles a ceremony that has ended. If the ceremony got a response, it completes a flow. */
  readonly ended: (ceremony: EndedCeremony) => Promise<void>;
  /** Resolves when both flows are written to the file. */
  readonly done: Promise<void>;
  /** Stops recording, and prints which flow is missing. */
  readonly close: () => void;
}

/**
 * Records two flows while the user performs them: one that ends with a registration, and one that ends with a login. Each flow has its own
 * browser window without cookies.
 */
export function recordFlows(io: Io, devtools: DevTools, { url, file }: { readonly url: string; readonly file: string }): FlowRecording {
  const { pathname, search, hash } = new URL(url);
  const start: readonly Step[] = [{ goto: `${pathname}${search}${hash}` }];
  const flows = new Map<string, readonly Step[]>();
  let steps = start;
  let context: unknown;
  let finish: () => void = () => {};
  const done = new Promise<void>((resolve_) => {
    finish = resolve_;
  });
  const recorder = new FlowRecorder(devtools, {
    onStep: (step) => {
      steps = addStep(steps, step);
    },
    onUnplayable: (why) => say(io, printable(`not recorded: ${why}. Add the step to ${file} by hand.`)),
  });
  const open = async () => {
    const before = context;
    recorder.forget();
    steps = start;
    ({ browserContextId: context } = await devtools.send('Target.createBrowserContext'));
    await devtools.send('Target.createTarget', { url, browserContextId: context });
    if (before !== undefined) await devtools.send('Target.disposeBrowserContext', { browserContextId: before });
  };
  return {
    prepare: (session) => recorder.prepare(session),
    open,
    async ended({ kind, error }) {
      if (error !== undefined || flows.size === 2) return;
      const name = NAMES[kind];
      flows.set(name, steps);
      await replaceFile(resolve(io.cwd, file), `${JSON.stringify(Object.fromEntries(flows), null, 2)}\n`, { mode: 0o666 });
      const secret = steps.some((step) => 'fill' in step && step.value === SECRET);
      const variable = secret ? ` Set FLOW_PASSWORD to the text that you typed before you use the flow.` : '';
      say(io, printable(`recorded the flow "${name}" in ${file}: ${count(steps.length, 'step')}.${variable}`));
      if (flows.size === 2) return finish();
      say(io, name === 'register' ? 'Now log in with the passkey, in the new window.' : 'Now register a passkey, in the new window.');
      await open();
    },
    done,
    close() {
      const missing = Object.values(NAMES).filter((name) => !flows.has(name));
      if (missing.length > 0) say(io, printable(`not recorded: the flow ${missing.map((name) => `"${name}"`).join(' and ')}.`));
    },
  };
}
