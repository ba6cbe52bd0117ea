import { h } from '../dom.js';
import { fixturePath, runToCurl, runToJson } from '../export.js';
import type { App } from '../flow/app.js';
import { stringAt } from '../json.js';
import type { Run } from '../run.js';
import { describeFailure, succeeded } from '../run.js';
import { statusLine } from '../state.js';

/** Buttons to copy and download one run. */
export function exportActions(app: App, run: Run): Node {
  const json = () => text(runToJson(run, location.origin, navigator.userAgent));
  const button = (name: string, label: string, onClick: () => void) =>
    h('button', { type: 'button', class: 'quiet', 'data-export': name, onClick }, label);
  const path = app.store.get().server?.local === true ? fixturePath(run) : undefined;
  return h(
    'div',
    { class: 'actions exports' },
    button('json', 'Copy as JSON', () => void copy(app, 'JSON', json())),
    run.legs.some((leg) => leg.kind === 'http')
      ? button('curl', 'Copy as curl', () => void copy(app, 'curl', runToCurl(run, location.origin)))
      : undefined,
    path === undefined
      ? undefined
      : button('fixture', 'Copy as fixture', () => void withFixture(app, path, (_, fixture) => copy(app, 'fixture', fixture))),
    button('download', 'Download JSON', () => download(`passkey-run-${run.id}.json`, json())),
    path === undefined
      ? undefined
      : button('download-fixture', 'Download fixture', () => void withFixture(app, path, async (name, fixture) => download(name, fixture))),
  );
}

async function withFixture(app: App, path: string, use: (name: string, fixture: string) => Promise<void>): Promise<void> {
  const leg = await app.api.call('GET', path);
  if (!succeeded(leg)) {
    app.store.set(statusLine(describeFailure(leg), true));
    return;
  }
  await use(`${stringAt(leg.answer, 'name') ?? 'fixture'}.json`, text(leg.answer));
}

function text(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

async function copy(app: App, what: string, content: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(content);
    app.store.set(statusLine(`Copied as ${what}.`));
  } catch {
    app.store.set(statusLine('The browser does not let this page copy. Use Download.', true));
  }
}

function download(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  h('a', { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
