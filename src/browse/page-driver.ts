import { randomBytes } from 'node:crypto';
import { pageScript } from '../../generated/watch-page.js';
import { asObject, type JsonObject, parseJson } from '../kernel/json-value.js';
import type { DrivenPage, Observation, PageDriver, PageObservation, TriggerState, World } from '../testing/page/driver.js';
import { acceptsDialog } from '../testing/page/trace.js';
import { type Autofill, createAutofill, MARK_BYTES } from './autofill.js';
import type { Call, SoftwareAnswer } from './ceremony.js';
import type { DevTools } from './devtools.js';
import { loadExtension } from './extension.js';
import { clickElement, type FlowPage, playFlow } from './flow-player.js';
import { attachToPages } from './network.js';
import { addPageScripts } from './page-script.js';
import { createTraffic } from './page-traffic.js';
import { readCall, readException } from './session.js';
import { LOOK, PATIENCE, wait, waitUntil } from './wait.js';

/** The software authenticator of one page. */
export interface PageAuthenticator {
  answer(call: Call): Promise<SoftwareAnswer['response']>;
  /** Exports the passkeys of this authenticator as a string. */
  export(): Promise<string>;
}

interface DriverOptions {
  readonly devtools: DevTools;
  /** Folder for the files of the extension. */
  readonly folder: string;
  /** URL against which the paths of pages resolve. */
  readonly base: string;
  /** Opens an authenticator. @param passkeys the string that an earlier `export` returned. */
  readonly openAuthenticator: (passkeys: string | undefined) => Promise<PageAuthenticator>;
}

/** An open page, with the data that tells which events belong to the page. */
interface OpenPage {
  readonly context: string;
  readonly authenticator: PageAuthenticator;
  readonly observe: (observation: PageObservation) => void;
  readonly prepare: (session: string) => Promise<void>;
  readonly sessions: Set<string>;
  /** Challenges of the calls that the page has made. */
  readonly challenges: Set<unknown>;
  readonly started: (session: string) => void;
  /** Records a dialog that the page opened. Returns whether the user accepts the dialog. */
  readonly meetDialog: (text: string) => boolean;
}

const BINDING = 'passkeyObserved';
/** Number of looks without a change after which a page is at rest. */
const QUIET = 3;

/**
 * Creates a driver that opens each page in a separate browser context with its own software authenticator. The extension answers the calls
 * of all pages.
 */
export async function createBrowserDriver({ devtools, folder, base, openAuthenticator }: DriverOptions): Promise<PageDriver> {
  const autofill = createAutofill(devtools, () => new Uint8Array(randomBytes(MARK_BYTES)));
  const pages = new Set<OpenPage>();
  const findPage = (session: string | undefined) => [...pages].find(({ sessions }) => session !== undefined && sessions.has(session));
  /**
   * Finds the page that made a call with this challenge. The extension may report the call before the page reports it, so this waits a
   * moment.
   */
  const findCaller = (challenge: unknown): Promise<OpenPage | undefined> =>
    waitUntil(
      () => [...pages].find(({ challenges }) => challenges.has(challenge)),
      (page) => page !== undefined,
    );
  devtools.on(({ method, params, session }) => {
    if (method === 'Runtime.bindingCalled' && params['name'] === BINDING) {
      const page = findPage(session);
      const observation = parseJson(String(params['payload'])) as PageObservation;
      if (observation.kind === 'call') page?.challenges.add(observation.options?.['challenge']);
      page?.observe(observation);
    }
    const { type, message } = params;
    if (method === 'Page.javascriptDialogOpening') {
      const accept = findPage(session)?.meetDialog(String(message));
      if (accept === undefined) return;
      devtools.send('Page.handleJavaScriptDialog', { accept: accept || type === 'beforeunload' }, session).catch(() => {});
    }
  });
  await attachToPages(devtools, async (session, { browserContextId }) => {
    const page = [...pages].find(({ context }) => context === browserContextId);
    if (page === undefined) return;
    page.sessions.add(session);
    await page.prepare(session);
    page.started(session);
  });
  await loadExtension(devtools, folder, async (proxied, signal) => {
    const { call, session } = readCall(proxied, autofill);
    const page = session === undefined ? await findCaller(call.options['challenge']) : findPage(session);
    try {
      if (page === undefined) throw new DOMException('The page has gone.', 'NotAllowedError');
      if (session !== undefined) await autofill.picked(session, signal);
      return { response: await page.authenticator.answer(call) };
    } catch (cause) {
      return { error: readException(cause) };
    }
  });
  return {
    async open(world, passkeys) {
      const authenticator = await openAuthenticator(passkeys);
      const { browserContextId } = await devtools.send('Target.createBrowserContext');
      return await openPage({ devtools, autofill, pages, base, authenticator, context: String(browserContextId) }, world);
    },
  };
}

interface Opening {
  readonly devtools: DevTools;
  readonly autofill: Autofill;
  readonly pages: Set<OpenPage>;
  readonly base: string;
  readonly authenticator: PageAuthenticator;
  readonly context: string;
}

async function openPage({ devtools, autofill, pages, base, authenticator, context }: Opening, world: World): Promise<DrivenPage> {
  const { answer, ...behaviour } = world;
  const observations: Observation[] = [];
  const observe = (observation: Observation) => void observations.push(observation);
  const traffic = createTraffic(devtools, { observe, answer });
  const source = `{${pageScript}passkeyWatch.watchPage(${JSON.stringify(BINDING)},${JSON.stringify(behaviour)});}`;
  let started: (session: string) => void = () => {};
  const main = new Promise<string>((resolve) => {
    started = resolve;
  });
  const page: OpenPage = {
    context,
    authenticator,
    observe,
    sessions: new Set(),
    challenges: new Set(),
    started: (session) => started(session),
    meetDialog(text) {
      const isAccepted = acceptsDialog(observations, text);
      observe({ kind: 'dialog', text });
      return isAccepted;
    },
    async prepare(session) {
      await Promise.all([traffic.watch(session), devtools.send('Emulation.setFocusEmulationEnabled', { enabled: true }, session)]);
      await autofill.prepare(session);
      await addPageScripts(devtools, session, [{ source, binding: BINDING }]);
    },
  };
  pages.add(page);
  await devtools.send('Target.createTarget', { url: 'about:blank', browserContextId: context });
  const session = await main;
  observations.length = 0;
  const flowPage: FlowPage = { devtools, session, base };
  const watch = `globalThis[${JSON.stringify(`${BINDING}-watch`)}]`;
  const evaluate = async (expression: string): Promise<JsonObject> => {
    const { result } = await devtools.send('Runtime.evaluate', { expression, returnByValue: true }, session).catch(() => ({ result: {} }));
    return asObject(result);
  };
  const readTrigger = async (): Promise<TriggerState> => {
    const read = asObject((await evaluate(`${watch}?.readTrigger()`))['value']);
    const has = (name: keyof TriggerState): boolean => read[name] === true;
    return { exists: has('exists'), isDisabled: has('isDisabled'), isBusy: has('isBusy'), hasLostInput: has('hasLostInput') };
  };
  return {
    observations,
    async play(flow, { user, isHonest }) {
      await playFlow(flowPage, isHonest ? flow : flow.slice(0, flow.findLastIndex((step) => 'click' in step) + 1), user);
      // The browser may confirm a click before the page has told of it; what the page tells comes before its next answer.
      await evaluate('0');
    },
    readTrigger,
    async press(times) {
      const { exists, isDisabled } = await readTrigger();
      if (!exists || isDisabled) return false;
      const { result } = await devtools.send('Runtime.evaluate', { expression: `${watch}?.findTrigger()` }, session);
      const { objectId } = asObject(result);
      if (objectId === undefined) return false;
      return await clickElement(flowPage, { objectId }, times).then(
        () => true,
        () => false,
      );
    },
    async pickAutofill() {
      for (const each of page.sessions) if (autofill.pick(each)) return;
    },
    async settle() {
      let quiet = 0;
      for (let left = PATIENCE / LOOK; quiet < QUIET && left > 0; left -= 1) {
        const before = observations.length;
        const pending = (await evaluate(`${watch}?.pending()`))['value'] ?? 0;
        await wait(LOOK);
        quiet = pending === 0 && traffic.pending() === 0 && observations.length === before ? quiet + 1 : 0;
      }
    },
    exportPasskeys: () => authenticator.export(),
    async [Symbol.asyncDispose]() {
      pages.delete(page);
      traffic.close();
      await devtools.send('Target.disposeBrowserContext', { browserContextId: context }).catch(() => {});
    },
  };
}
