import { byId, h, hint, replace } from '../dom.js';
import type { App } from '../flow/app.js';
import { sendFromRun } from '../flow/signals.js';
import type { Outcome, Run } from '../run.js';
import { expectedOrigin } from '../run.js';
import { statusLine } from '../state.js';
import { exportActions } from './export-actions.js';
import { legView } from './leg.js';
import { signalButton } from './signals.js';
import { formatClock, formatDuration } from './time.js';
import { verdictView } from './verdict.js';

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  running: 'waiting',
  verified: 'done',
  rejected: 'refused',
  'browser-error': 'browser error',
  aborted: 'aborted',
  failed: 'failed',
};

interface Drawn {
  readonly run: Run;
  readonly element: HTMLDetailsElement;
}

/** All runs, newest first. Only what changed is redrawn, so that open parts stay open. */
export function mountRuns(app: App): void {
  const root = byId('runs', HTMLDivElement);
  const clear = byId('clear', HTMLButtonElement);
  clear.addEventListener('click', () => app.store.set({ runs: [], ...statusLine('Cleared.') }));
  let drawn = new Map<number, Drawn>();
  app.store.watch(['runs'], ({ runs }) => {
    clear.hidden = runs.length === 0;
    if (runs.length === 0) {
      root.replaceChildren(hint('Nothing yet. Every request, the browser’s answer and the server’s verdict will appear here.'));
      drawn = new Map();
      return;
    }
    const next = new Map<number, Drawn>();
    for (const run of runs) {
      const old = drawn.get(run.id);
      next.set(run.id, old?.run === run ? old : { run, element: draw(app, run, old?.element) });
    }
    if (runs[0] !== undefined && !drawn.has(runs[0].id)) {
      for (const { element } of drawn.values()) {
        element.open = false;
      }
    }
    replace(root, ...runs.map((run) => next.get(run.id)?.element));
    drawn = next;
  });
}

function draw(app: App, run: Run, old: HTMLDetailsElement | undefined): HTMLDetailsElement {
  const total = run.legs.reduce((sum, leg) => sum + (leg.kind === 'signal' ? 0 : leg.milliseconds), 0);
  const element = h(
    'details',
    { class: `run ${run.outcome}`, 'data-run': run.id, 'data-outcome': run.outcome, open: old?.open ?? true },
    h(
      'summary',
      {},
      h('span', { class: 'outcome' }, OUTCOMES[run.outcome]),
      h('span', { class: 'run-title' }, run.title),
      h('span', { class: 'run-time' }, `${formatClock(run.startedAt)} · ${formatDuration(total)}`),
    ),
    verdictView(run),
    offerView(app, run),
    timingBar(run),
    h('ol', { class: 'legs' }, ...run.legs.map((leg, index) => legView(leg, `${run.id}-${index}`, expectedOrigin(run, location.origin)))),
    run.outcome === 'running' ? h('p', { class: 'hint waiting' }, 'Waiting…') : exportActions(app, run),
  );
  for (const part of old?.querySelectorAll<HTMLDetailsElement>('details[data-key]') ?? []) {
    const same = element.querySelector<HTMLDetailsElement>(`details[data-key="${part.dataset.key}"]`);
    if (same !== null) {
      same.open = part.open;
    }
  }
  return element;
}

/** The signal that the run offers, and what came of it. */
function offerView(app: App, run: Run): Node | undefined {
  const { offer, id, legs } = run;
  const last = legs.findLast((leg) => leg.kind === 'signal');
  return offer === undefined
    ? undefined
    : signalButton(offer, { id: `run-${id}-signal`, onClick: () => void sendFromRun(app, id, offer), outcome: last?.outcome });
}

/** A bar that shows how long each leg took; the legs show the numbers. */
function timingBar(run: Run): Node | undefined {
  const timed = run.legs.flatMap((leg) => (leg.kind === 'signal' ? [] : [leg]));
  if (timed.length < 2) {
    return undefined;
  }
  const bar = h('div', { class: 'timing', 'aria-hidden': 'true' });
  for (const leg of timed) {
    const segment = h('span', {
      class: leg.kind,
      title: `${leg.kind === 'http' ? leg.path : leg.call} ${formatDuration(leg.milliseconds)}`,
    });
    segment.style.flexGrow = String(Math.max(1, leg.milliseconds));
    bar.append(segment);
  }
  return bar;
}
