import { PasskeyError } from '../errors.js';
import { asObject, type JsonObject } from '../kernel/json-value.js';
import type { Control, Flow, Step } from '../testing/page/flow.js';
import type { DevTools } from './devtools.js';
import { PATIENCE, timeLimit, waitUntil } from './wait.js';

/** A page in a browser, and the DevTools session that controls it. */
export interface FlowPage {
  readonly devtools: DevTools;
  readonly session: string;
  /** URL against which the paths of `goto` steps resolve. */
  readonly base: string;
}

/**
 * Plays the steps of a flow with the mouse and the keyboard, as a user would. @throws PasskeyError `target_unreachable` naming the step
 * that cannot be played.
 */
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
  if ('click' in step) return await clickElement(page, await findControl(page, step.click), 1);
  if ('fill' in step) return await fill(page, await findControl(page, step.fill), step.value.replaceAll('{n}', String(user)));
  const { waitFor } = step;
  if ('role' in waitFor) return void (await findControl(page, waitFor));
  const address = await waitUntil(
    () => readUrl(page),
    (url) => url.endsWith(waitFor.url),
  );
  if (!address.endsWith(waitFor.url)) {
    throw new TypeError(`Expected the page to reach an address that ends with ${waitFor.url}; got ${address}.`);
  }
}

async function goTo({ devtools, session }: FlowPage, url: string): Promise<void> {
  const loaded = new Promise<void>((resolve) => {
    devtools.on(({ method, session: from }) => {
      if (method === 'Page.loadEventFired' && from === session) resolve();
    });
  });
  const { errorText } = await devtools.send('Page.navigate', { url }, session);
  if (errorText !== undefined) throw new TypeError(`Expected ${url} to load; the browser reported ${String(errorText)}.`);
  await Promise.race([loaded, timeLimit(PATIENCE)]);
}

const readUrl = async ({ devtools, session }: FlowPage): Promise<string> => {
  const { result } = await devtools.send('Runtime.evaluate', { expression: 'location.href' }, session);
  return String(asObject(result)['value']);
};

/** A reference to an element in the DevTools protocol. */
type ElementRef = { readonly backendNodeId: unknown } | { readonly objectId: unknown };

/** Finds the control with this role and accessible name. If several match, picks the first visible one. */
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
  const { result } = await page.devtools.send('Runtime.evaluate', { expression: 'frames.length' }, page.session);
  const inFrames = Number(asObject(result)['value']) > 0 ? '. Controls in its frames cannot be used' : '';
  throw new TypeError(`Expected a visible ${role} named ${JSON.stringify(name)}; the page has ${others}${inFrames}.`);
}

/** Maximum number of controls that an error lists when the wanted control is not found. */
const MOST_NAMED = 10;

/** Queries the accessibility tree of a page. Returns no nodes while the page navigates to another document. */
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

/** Finds the middle of an element in window coordinates. Undefined if the element has no layout. */
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

/**
 * Source of a JavaScript function that is called on an element. It tells why a click at the point (x, y) does not reach the element, and
 * returns an empty string if the click does. A click on a part of the element or on its label also reaches it.
 */
const FIND_HINDRANCE = `function (x, y) {
  if (this.matches(':disabled')) return 'it is disabled';
  let hit = document.elementFromPoint(x, y);
  for (let inner = hit; inner; ) {
    hit = inner;
    inner = hit.shadowRoot?.elementFromPoint(x, y);
    if (inner === hit) break;
  }
  if (!hit) return 'it is outside of the window';
  for (let each = hit; each; each = each.assignedSlot ?? each.parentNode ?? each.host) {
    if (each === this || each.control === this) return '';
  }
  const look = hit.id ? '#' + hit.id : hit.className && typeof hit.className === 'string' ? '.' + hit.className.trim().split(/\\s+/).join('.') : '';
  return 'a ' + hit.localName + look + ' covers it';
}`;

/** Waits until a click in the middle of an element would reach the element. @throws TypeError saying why the click does not reach it. */
async function findTarget(page: FlowPage, element: ElementRef): Promise<Point> {
  const look = async (): Promise<{ readonly point?: Point; readonly hindrance: string }> => {
    const [before, point] = [await findMiddle(page, element), await findMiddle(page, element)];
    if (point === undefined) return { hindrance: 'it has no position in the window' };
    if (before?.x !== point.x || before.y !== point.y) return { hindrance: 'it moves' };
    const { devtools, session } = page;
    const { object } =
      'objectId' in element
        ? { object: element }
        : await devtools.send('DOM.resolveNode', { ...element }, session).catch(() => ({ object: {} }));
    const { objectId } = asObject(object);
    if (objectId === undefined) return { hindrance: 'it is gone' };
    const called = {
      objectId,
      functionDeclaration: FIND_HINDRANCE,
      arguments: [{ value: point.x }, { value: point.y }],
      returnByValue: true,
    };
    const { result } = await devtools.send('Runtime.callFunctionOn', called, session);
    return { point, hindrance: String(asObject(result)['value']) };
  };
  const { point, hindrance } = await waitUntil(look, (seen) => seen.hindrance === '');
  if (point !== undefined && hindrance === '') return point;
  throw new TypeError(`Expected a control that can be clicked; ${hindrance}.`);
}

/** Clicks the middle of an element, as a user does. @throws TypeError saying why the click does not reach the element. */
export async function clickElement(page: FlowPage, element: ElementRef, times: number): Promise<void> {
  const point = await findTarget(page, element);
  const { devtools, session } = page;
  const mouse = (type: string, clickCount: number) =>
    devtools.send('Input.dispatchMouseEvent', { type, ...point, button: 'left', clickCount }, session);
  await mouse('mouseMoved', 0);
  for (let count = 1; count <= times; count += 1) {
    await mouse('mousePressed', count);
    await mouse('mouseReleased', count);
  }
}

/** Types text into a field, replacing its content. */
async function fill({ devtools, session }: FlowPage, element: ElementRef, text: string): Promise<void> {
  await devtools.send('DOM.focus', { ...element }, session);
  const { object } = await devtools.send('DOM.resolveNode', { ...element }, session);
  const { objectId } = asObject(object);
  await devtools.send('Runtime.callFunctionOn', { objectId, functionDeclaration: 'function () { this.select?.(); }' }, session);
  await devtools.send('Input.insertText', { text }, session);
}
