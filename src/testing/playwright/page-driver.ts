import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request, Route } from '@playwright/test';
import { pageScript } from '../../../generated/watch-page.js';
import type { BrowserOptions } from '../credentials/host.js';
import {
  type DrivenPage,
  NO_TRIGGER,
  type Observation,
  type Override,
  type PageDriver,
  type PageObservation,
  type SentRequest,
  type TriggerState,
  type World,
} from '../page/driver.js';
import type { Control, Flow, Step } from '../page/flow.js';
import { acceptsDialog } from '../page/trace.js';
import { addSoftwareAuthenticator } from './software-authenticator.js';

/** A flow of a page: a list of steps, or a function that performs them. Its last click starts the ceremony. */
export type PageFlow = Flow | ((page: Page, user: number) => Promise<void>);

interface DriverOptions {
  readonly browser: Browser;
  readonly context: BrowserContextOptions;
  readonly authenticator: BrowserOptions;
  /** Address to which paths of `goto` are relative; undefined: the `baseURL` of the context. */
  readonly base: string | undefined;
  /** Waits for some milliseconds; default: the system clock. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** Milliseconds that a step waits for its control, and that a page waits for a response which the check does not replace. */
const PATIENCE = 5_000;
/**
 * Milliseconds between two checks whether a page is idle. The next constant is the number of consecutive checks that must find nothing new.
 */
const LOOK = 50;
const LOOKS = 3;
/** Types of requests whose responses the driver waits for. Streams never end, so they are not included. */
const AWAITED = new Set(['document', 'fetch', 'xhr']);

/** Creates a driver that plays flows in contexts of one browser. */
export function createPageDriver(options: DriverOptions): PageDriver<PageFlow> {
  return {
    async open(world, passkeys) {
      const context = await options.browser.newContext(options.context);
      try {
        return await openPage(context, world, passkeys, options);
      } catch (error) {
        await context.close();
        throw error;
      }
    },
  };
}

async function openPage(
  context: BrowserContext,
  { answer, ...behaviour }: World,
  passkeys: string | undefined,
  { authenticator, base, wait = setTimeout }: DriverOptions,
): Promise<DrivenPage<PageFlow>> {
  const software = await addSoftwareAuthenticator(context, authenticator);
  if (passkeys !== undefined) await software.credentials.import(passkeys);
  const name = `passkey-${randomUUID()}`;
  const observations: Observation[] = [];
  await context.exposeBinding(name, async (_, text: string) => {
    const observation: PageObservation = JSON.parse(text);
    observations.push(observation);
    if (observation.kind === 'call') await network.read();
  });
  await context.addInitScript({ content: `{${pageScript}passkeyWatch.watchPage(${JSON.stringify(name)},${JSON.stringify(behaviour)});}` });
  const network = watchNetwork(context, observations);
  if (answer !== undefined) {
    await context.route('**/*', async (route) => await override(route, answer(network.observe(route.request()))));
  }
  const page = await context.newPage();
  // A service worker would hide requests of the page, or send them a second time. Only Chromium can pass them by.
  const devtools = await context.newCDPSession(page).catch(() => undefined);
  await devtools?.send('Network.enable');
  await devtools?.send('Network.setBypassServiceWorker', { bypass: true });
  page.setDefaultTimeout(PATIENCE);
  page.on('dialog', (dialog) => {
    const [isAccepted, text] = [dialog.type() === 'beforeunload' || acceptsDialog(observations, dialog.message()), dialog.message()];
    observations.push({ kind: 'dialog', text });
    void (isAccepted ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
  });
  const watch = `globalThis[${JSON.stringify(`${name}-watch`)}]`;
  const readTrigger = async (): Promise<TriggerState> =>
    // A page that is going away has no trigger.
    (await page.evaluate<TriggerState | undefined>(`${watch}?.readTrigger()`).catch(() => undefined)) ?? NO_TRIGGER;

  return {
    observations,
    async play(flow, { user, isHonest }) {
      if (typeof flow === 'function') await flow(page, user);
      else await playSteps(page, isHonest ? flow : flow.slice(0, flow.findLastIndex((step) => 'click' in step) + 1), { base, user });
    },
    readTrigger,
    async press(times) {
      const { exists, isDisabled } = await readTrigger();
      if (!exists || isDisabled) return false;
      const element = (await page.evaluateHandle(`${watch}?.findTrigger()`)).asElement();
      const clicking = times === 2 ? element?.dblclick({ timeout: PATIENCE }) : element?.click({ timeout: PATIENCE });
      return (
        (await clicking?.then(
          () => true,
          () => false,
        )) ?? false
      );
    },
    async pickAutofill() {
      if (software.waiting > 0) await software.autofill().catch(() => undefined);
    },
    async settle() {
      let quiet = 0;
      for (let spent = 0; quiet < LOOKS && spent < PATIENCE; spent += LOOK) {
        const before = observations.length;
        const pending = await page.evaluate<number | undefined>(`${watch}?.pending()`).catch(() => 1);
        await wait(LOOK);
        quiet = (pending ?? 0) === 0 && network.pending.size === 0 && observations.length === before ? quiet + 1 : 0;
      }
    },
    exportPasskeys: () => software.credentials.export(),
    [Symbol.asyncDispose]: async () => {
      // A handler may be at work.
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    },
  };
}

async function playSteps(
  page: Page,
  flow: Flow,
  { base, user }: { readonly base: string | undefined; readonly user: number },
): Promise<void> {
  for (const [index, step] of flow.entries()) {
    await playStep(page, step, { base, user }).catch((cause: unknown) => {
      const [why = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
      const inFrames = page.frames().length > 1 ? ' The page has frames, whose controls a list of steps cannot use.' : '';
      throw new TypeError(`Step ${index + 1} (${JSON.stringify(step)}): ${why}${inFrames}`, { cause });
    });
  }
}

async function playStep(
  page: Page,
  step: Step,
  { base, user }: { readonly base: string | undefined; readonly user: number },
): Promise<void> {
  if ('goto' in step) await page.goto(base === undefined ? step.goto : new URL(step.goto, base).href);
  else if ('fill' in step) await locate(page, step.fill).fill(step.value.replaceAll('{n}', String(user)));
  else if ('click' in step) await locate(page, step.click).click();
  else if ('url' in step.waitFor) {
    const { url } = step.waitFor;
    await page.waitForURL(({ href }) => href.endsWith(url));
  } else await locate(page, step.waitFor).waitFor();
}

// Playwright names the roles that it has; it takes any.
const locate = (page: Page, { role, name }: Control) =>
  page.getByRole(role as Parameters<Page['getByRole']>[0], { name, exact: true }).first();

function watchNetwork(context: BrowserContext, observations: Observation[]) {
  const seen = new Map<Request, SentRequest>();
  const pending = new Set<Request>();
  const observe = (request: Request): SentRequest => {
    const before = seen.get(request);
    if (before !== undefined) return before;
    const sent = describeRequest(request, seen.size + 1);
    seen.set(request, sent);
    if (AWAITED.has(request.resourceType())) pending.add(request);
    observations.push({ kind: 'request', ...sent });
    return sent;
  };
  const reading = new Set<Promise<void>>();
  const end = async (request: Request): Promise<void> => {
    const { id } = observe(request);
    const response = await request.response().catch(() => null);
    // At once, since a page that leaves takes the bodies along; only those that can have options are read.
    const [body, headers = {}, cookie] = await Promise.all([
      AWAITED.has(request.resourceType()) ? response?.text().catch(() => undefined) : undefined,
      response?.allHeaders().catch(() => undefined),
      request.headerValue('cookie').catch(() => null),
    ]);
    observations.push({ kind: 'answer', request: id, status: response?.status() ?? 0, headers, body, sentCookie: cookie !== null });
    pending.delete(request);
  };
  const fail = (request: Request): void => {
    observations.push({ kind: 'answer', request: observe(request).id, status: 0, headers: {}, body: undefined, sentCookie: undefined });
    pending.delete(request);
  };
  context.on('request', observe);
  context.on('requestfinished', (request) => {
    const read = end(request).finally(() => reading.delete(read));
    reading.add(read);
  });
  context.on('requestfailed', fail);
  return {
    observe,
    pending,
    /** Waits until the responses received so far have been read. */
    read: async () => void (await Promise.all(reading)),
  };
}

function describeRequest(request: Request, id: number): SentRequest {
  return {
    id,
    method: request.method(),
    url: request.url(),
    headers: request.headers(),
    body: request.postData() ?? '',
    isNavigation: request.isNavigationRequest(),
    origin: readOrigin(request),
  };
}

/** Returns the origin of the page that sent a request. Empty for a request of a service worker or of a closed page, which has no frame. */
function readOrigin(request: Request): string {
  try {
    return new URL(request.frame().url()).origin;
  } catch {
    return '';
  }
}

async function override(route: Route, change: Override | undefined): Promise<void> {
  // The page may go away meanwhile.
  try {
    if (change === undefined) await route.continue();
    else if (change.kind === 'offline') await route.abort('internetdisconnected');
    else if (change.kind === 'answer') await route.fulfill({ status: change.status, headers: { ...change.headers }, body: change.body });
    else {
      const response = await route.fetch();
      await route.fulfill({ response, body: change.edit(await response.text()) });
    }
  } catch {
    await route.abort().catch(() => undefined);
  }
}
