import { setTimeout as wait } from 'node:timers/promises';
import { PasskeyError } from '../errors.js';
import { asObject, type JsonObject } from '../kernel/json-value.js';
import type { Control, Flow, Step } from '../testing/page/flow.js';
import type { DevTools } from './devtools.js';

/** A page of a browser, by the session of its DevTools. */
export interface FlowPage {
  readonly devtools: DevTools;
  readonly session: string;
  /** Paths of `goto` begin here. */
  readonly base: string;
}

/** Milliseconds that a step waits for its control or address. */
const PATIENCE = 5_000;
/** Milliseconds between two looks. */
const LOOK = 50;

/** Plays the steps of a flow as a user would, by the mouse and the keyboard. @throws PasskeyError `target_unreachable` naming the step that cannot be played. */
export async function playFlow(page: FlowPage, flow: Flow, user: number): Promise<void> {
  for (const [index, step] of flow.entries()) {
    await playStep(page, step, user).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new PasskeyError('target_unreachable', `Step ${index + 1} (${JSON.stringify(step)}): ${why}`, { cause });
    });
  }
}

async function playStep(page: FlowPage, step: Step, user: number): Promise<void> {
  if ('goto' in step) return await goTo(page, new URL(step.goto, page.base).href);
  if ('click' in step) return void (await clickElement(page, await findControl(page, step.click), 1));
  if ('fill' in step) return await fill(page, await findControl(page, step.fill), step.value.replaceAll('{n}', String(user)));
  const { waitFor } = step;
  if ('role' in waitFor) return void (await findControl(page, waitFor));
  const address = await waitUntil(
    () => readUrl(page),
    (url) => url.endsWith(waitFor.url),
  );
  if (!address.endsWith(waitFor.url)) throw new TypeError(`Expected an address that ends with ${waitFor.url}; got ${address}.`);
}

async function goTo({ devtools, session }: FlowPage, url: string): Promise<void> {
  const loaded = new Promise<void>((resolve) => {
    devtools.on(({ method, session: from }) => {
      if (method === 'Page.loadEventFired' && from === session) resolve();
    });
  });
  const { errorText } = await devtools.send('Page.navigate', { url }, session);
  if (errorText !== undefined) throw new TypeError(`Expected ${url} to load; the browser says ${String(errorText)}.`);
  await Promise.race([loaded, wait(PATIENCE, undefined, { ref: false })]);
}

const readUrl = async ({ devtools, session }: FlowPage): Promise<string> => {
  const { result } = await devtools.send('Runtime.evaluate', { expression: 'location.href' }, session);
  return String(asObject(result)['value']);
};

async function waitUntil<Value>(read: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> {
  let value = await read();
  for (let spent = 0; !holds(value) && spent < PATIENCE; spent += LOOK) {
    await wait(LOOK);
    value = await read();
  }
  return value;
}

/** How the protocol names an element. */
type ElementRef = { readonly backendNodeId: unknown } | { readonly objectId: unknown };

/** Finds the control with a role and an accessible name; where several are alike, the first that can be seen. */
async function findControl(page: FlowPage, { role, name }: Control): Promise<ElementRef> {
  const search = async (): Promise<ElementRef | undefined> => {
    for (const { backendDOMNodeId } of await queryTree(page, { role, accessibleName: name })) {
      const element = { backendNodeId: backendDOMNodeId };
      if ((await findMiddle(page, element)) !== undefined) return element;
    }
    return undefined;
  };
  const found = await waitUntil(search, (element) => element !== undefined);
  if (found !== undefined) return found;
  const names = (await queryTree(page, { role })).map((node) => JSON.stringify(asObject(node['name'])['value'] ?? ''));
  const others = names.length === 0 ? 'none' : [...new Set(names)].slice(0, MOST_NAMED).join(', ');
  throw new TypeError(`Expected a ${role} named ${JSON.stringify(name)} that can be seen; the page has ${others}.`);
}

/** Names of other controls that an error lists. */
const MOST_NAMED = 10;

/** Asks the accessibility tree; empty while one document takes the place of another. */
async function queryTree({ devtools, session }: FlowPage, wanted: JsonObject): Promise<readonly JsonObject[]> {
  try {
    const { root } = await devtools.send('DOM.getDocument', { depth: 0 }, session);
    const { nodes } = await devtools.send('Accessibility.queryAXTree', { ...wanted, nodeId: asObject(root)['nodeId'] }, session);
    return Array.isArray(nodes) ? nodes.map(asObject).filter(({ ignored }) => ignored !== true) : [];
  } catch {
    return [];
  }
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The middle of an element in the window; undefined where it has no place. */
async function findMiddle({ devtools, session }: FlowPage, element: ElementRef): Promise<Point | undefined> {
  try {
    await devtools.send('DOM.scrollIntoViewIfNeeded', { ...element }, session);
    const { quads } = await devtools.send('DOM.getContentQuads', { ...element }, session);
    const quad: unknown = Array.isArray(quads) ? quads[0] : undefined;
    if (!Array.isArray(quad) || quad.length !== 8) return undefined;
    const middle = (from: number) => [0, 2, 4, 6].reduce((sum, at) => sum + Number(quad[at + from]) / 4, 0);
    return { x: middle(0), y: middle(1) };
  } catch {
    return undefined;
  }
}

/** Clicks an element like a user; false where it has no place, or something else covers it. */
export async function clickElement(page: FlowPage, element: ElementRef, times: number): Promise<boolean> {
  const point = await findMiddle(page, element);
  if (point === undefined) throw new TypeError('Expected the control to have a place in the window; it has none.');
  const { devtools, session } = page;
  const mouse = (type: string, clickCount: number) =>
    devtools.send('Input.dispatchMouseEvent', { type, ...point, button: 'left', clickCount }, session);
  await mouse('mouseMoved', 0);
  for (let count = 1; count <= times; count += 1) {
    await mouse('mousePressed', count);
    await mouse('mouseReleased', count);
  }
  return true;
}

/** Types a text into a field in place of the one that it has. */
async function fill({ devtools, session }: FlowPage, element: ElementRef, text: string): Promise<void> {
  await devtools.send('DOM.focus', { ...element }, session);
  const { object } = await devtools.send('DOM.resolveNode', { ...element }, session);
  const { objectId } = asObject(object);
  await devtools.send('Runtime.callFunctionOn', { objectId, functionDeclaration: 'function () { this.select?.(); }' }, session);
  await devtools.send('Input.insertText', { text }, session);
}
