import type { JsonObject } from '../../kernel/json-value.js';
import { isObject } from '../../kernel/json-value.js';
import { ceremonyToFile, detailToRun, fixturePath, runToCurl, runToJson } from '../ceremony-file.js';
import { findDetail, findMaterial, type Item, isCeremony } from '../items.js';
import { stringAt } from '../json.js';
import { describeFailure, type Run, succeeded } from '../run.js';
import { statusLine } from '../state.js';
import type { App } from './app.js';
import { writeShared } from './link.js';
import { loadDetail } from './live.js';

/** Forms in which an item can be copied or saved. */
export type Shape = 'json' | 'curl' | 'fixture' | 'file' | 'link';

/** Address at which a link opens the page on the recipient's machine. The part after `#` is not sent to any server. */
const READER = 'http://localhost:7277/#';

/** A document and its file name, or the reason why there is no document. */
type Shared = { readonly name: string; readonly text: string } | { readonly problem: string; readonly tooLong?: true };

/** Writes an item in one of its forms, after loading its details from the server. */
export async function shared(app: App, item: Item, shape: Shape): Promise<Shared> {
  if (item.entry !== undefined) await loadDetail(app, item.entry);
  const run = findRun(app, item);
  if (run === undefined) {
    const known = item.entry && app.store.get().details.get(item.entry.id);
    return { problem: known?.status === 'failed' ? known.why : 'The server has not sent it yet. Try again.' };
  }
  const name = nameFile(item);
  switch (shape) {
    case 'json':
      return { name: `${name}.json`, text: formatDocument(runToJson(run, findOrigin(item), navigator.userAgent)) };
    case 'curl':
      return { name: `${name}.sh`, text: runToCurl(run, location.origin) };
    case 'fixture': {
      const found = await loadFixture(app, item);
      return 'problem' in found
        ? found
        : { name: `${stringAt(found.fixture, 'name') ?? 'fixture'}.json`, text: formatDocument(found.fixture) };
    }
    case 'link':
    case 'file': {
      const { details } = app.store.get();
      const found = await loadFixture(app, item);
      const ceremony = {
        // Of a file that was opened, as it was saved.
        item: { ...(item.pasted?.shared ?? item), run },
        ...findMaterial(item, details),
        explanation: item.pasted?.document ?? findDetail(item, details)?.explanation ?? undefined,
        fixture: 'fixture' in found ? found.fixture : undefined,
      };
      const document = ceremonyToFile(ceremony, findOrigin(item), navigator.userAgent);
      if (shape === 'file') return { name: `${name}.passkey.json`, text: formatDocument(document) };
      const part = await writeShared(JSON.stringify(document));
      return part === undefined
        ? { problem: 'It is too long for a link.', tooLong: true }
        : { name: `${name}.txt`, text: `${READER}${part}` };
    }
  }
}

/** Puts the contents of a pasted ceremony into the page's address, if they fit. */
export async function addressPasted(app: App, item: Item): Promise<void> {
  const link = await shared(app, item, 'link');
  if ('text' in link && app.store.get().selected === item.key) app.store.set({ addressed: link.text.slice(READER.length) });
}

/** Lists the formats in which an item can be shared. */
export function listShapes({ run, entry, pasted, kind }: Item): readonly Shape[] {
  const requested = run?.legs.some((leg) => leg.kind === 'http') === true || (entry !== undefined && entry.kind !== 'change');
  const judged = run === undefined ? isCeremony({ kind }) : fixturePath(run) !== undefined;
  return [
    'link',
    'file',
    'json',
    ...(requested ? (['curl'] as const) : []),
    ...(judged && pasted === undefined ? (['fixture'] as const) : []),
  ];
}

/** Finds the run of this tab, or converts the server's entry or the pasted data to a run. */
function findRun(app: App, item: Item): Run | undefined {
  const detail = findDetail(item, app.store.get().details);
  if (item.run !== undefined) return item.run;
  if (detail !== undefined) return detailToRun(detail, item);
  const { pasted } = item;
  if (pasted === undefined) return undefined;
  const { options, response, document } = pasted;
  const { ceremony } = document;
  const call = { kind: 'browser', mediation: undefined, error: undefined, milliseconds: 0, software: undefined } as const;
  return {
    id: 0,
    title: item.title,
    kind: ceremony ?? 'other',
    startedAt: item.at,
    legs: ceremony === null ? [] : [{ ...call, call: ceremony === 'registration' ? 'create' : 'get', options: options ?? {}, response }],
    outcome: 'failed',
    summary: '',
    offer: undefined,
  };
}

async function loadFixture(app: App, item: Item): Promise<{ readonly fixture: JsonObject } | { readonly problem: string }> {
  const detail = findDetail(item, app.store.get().details);
  if (detail?.fixture) return { fixture: detail.fixture };
  const path = item.run && fixturePath(item.run);
  // Only the server that began the ceremony has it.
  if (path === undefined || item.pasted !== undefined || app.store.get().server?.local !== true) {
    return { problem: detail?.why_no_fixture ?? 'The server has no fixture of it.' };
  }
  const leg = await app.api.call('GET', path);
  return succeeded(leg) && isObject(leg.answer) ? { fixture: leg.answer } : { problem: describeFailure(leg) };
}

/** Finds the origin that the server expected. Falls back to this page's origin if the request named none. */
function findOrigin({ entry, run }: Item): string {
  return run === undefined ? (entry?.origins[0] ?? location.origin) : location.origin;
}

function nameFile({ kind, verdict, key }: Item): string {
  return `passkey-${kind}-${verdict}-${key}`.replaceAll(/[^\w-]+/g, '-');
}

function formatDocument(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Copies a string to the clipboard, or saves it as a file if the browser does not let the page copy. */
export async function copyOrDownload({ store }: App, what: string, name: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    store.set(statusLine(`Copied as ${what}.`));
  } catch {
    download(name, text);
    store.set(statusLine(`The browser does not let this page copy, so it was saved as ${name}.`));
  }
}

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: name.endsWith('.json') ? 'application/json' : 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
