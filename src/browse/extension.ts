import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PasskeyError } from '../errors.js';
import { asObject, isObject, type JsonObject, parseJson } from '../kernel/json-value.js';
import type { DevTools } from './devtools.js';
import { timeLimit } from './wait.js';

// The extension that stands in for the authenticators of a browser. It may reach no host and has no key: its worker talks to this process alone,
// through the DevTools session that is attached to the worker. A page can neither see nor call the function.

const MANIFEST = {
  manifest_version: 3,
  name: 'passkey browse',
  version: '1',
  permissions: ['webAuthenticationProxy'],
  background: { service_worker: 'worker.js' },
};

/**
 * Timeout in milliseconds. If this process sends no message for so long, the extension's worker assumes that this process was killed, and
 * restores the browser's own authenticators.
 */
const SILENCE = 10_000;

const WORKER = `
const proxy = chrome.webAuthenticationProxy;
const tell = (event) => globalThis.passkeyBrowse?.(JSON.stringify(event));
const knock = setInterval(() => tell({ call: 'started' }), 20);
let silence;
globalThis.beat = () => {
  clearInterval(knock);
  clearTimeout(silence);
  silence = setTimeout(() => proxy.detach(), ${SILENCE});
};
proxy.onCreateRequest.addListener((request) => tell({ call: 'create', ...request }));
proxy.onGetRequest.addListener((request) => tell({ call: 'get', ...request }));
proxy.onRequestCanceled.addListener((requestId) => tell({ call: 'canceled', requestId }));
proxy.onIsUvpaaRequest.addListener(({ requestId }) => proxy.completeIsUvpaaRequest({ requestId, isUvpaa: true }));
`;

/** A call of `navigator.credentials`, as the browser passes it to the extension. */
export interface ProxiedCall {
  readonly call: 'create' | 'get';
  readonly id: number;
  /** The options as JSON, including the members that Chromium adds for the extension. */
  readonly options: JsonObject;
}

/** The result of a call for the page: either a response as JSON, or an exception. */
export type ProxiedAnswer = { readonly response: JsonObject } | { readonly error: { readonly name: string; readonly message: string } };

/** Answers one call. @param signal aborts when the page has aborted its call, or when the page no longer exists. */
type Answering = (call: ProxiedCall, signal: AbortSignal) => Promise<ProxiedAnswer>;

const BINDING = 'passkeyBrowse';

/**
 * Loads the extension into a browser, and answers the calls of its pages until the connection ends.
 *
 * @param folder where the files of the extension are written.
 * @returns a function that unloads the extension.
 * @throws PasskeyError `configuration_invalid` naming the flag that the browser was started without, or another extension that also answers
 * calls.
 */
export async function loadExtension(devtools: DevTools, folder: string, answering: Answering): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(MANIFEST));
  await writeFile(join(folder, 'worker.js'), WORKER);
  const refused = (cause?: unknown) =>
    new PasskeyError(
      'configuration_invalid',
      'The browser does not run the extension. Start it with --enable-unsafe-extension-debugging and without --disable-extensions.',
      { cause },
    );
  const { id } = await devtools.send('Extensions.loadUnpacked', { path: folder, enableInIncognito: true }).catch((cause: unknown) => {
    throw refused(cause);
  });
  // With --disable-extensions it is loaded and never started.
  const { extensions } = await devtools.send('Extensions.getExtensions');
  if (!Array.isArray(extensions) || !extensions.some((each) => asObject(each)['id'] === id)) throw refused();
  const worker = await attachWorker(devtools, `chrome-extension://${String(id)}/`);
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await devtools.send('Runtime.evaluate', { expression, awaitPromise: true }, worker);
    if (exceptionDetails === undefined) return asObject(result)['value'];
    throw new PasskeyError('target_unreachable', `The extension fails in this browser: ${String(asObject(result)['description'])}`);
  };
  let unloading = false;
  const open = new Map<unknown, AbortController>();
  const started = new Promise<void>((resolve, reject) => {
    devtools.on(({ method, params, session }) => {
      if (session === worker && method === 'Inspector.targetCrashed' && !unloading) devtools.fail(crashed());
      if (session !== worker || method !== 'Runtime.bindingCalled' || params['name'] !== BINDING) return;
      const event = asObject(parseJson(String(params['payload'])));
      if (event['call'] === 'started') resolve();
      else if (event['call'] === 'canceled') open.get(event['requestId'])?.abort();
      else void answerCall(event, { answering, evaluate, open });
    });
    setTimeout(() => reject(refused()), START_WITHIN).unref();
  });
  // A worker can be attached before its script has run, and crashes when it has to evaluate something then.
  const bound = devtools.send('Runtime.addBinding', { name: BINDING }, worker);
  await Promise.race([Promise.all([started, bound]), devtools.over]);
  const refusal = await evaluate('beat(), chrome.webAuthenticationProxy.attach()');
  if (typeof refusal === 'string' && refusal !== '') {
    throw new PasskeyError('configuration_invalid', `The browser keeps its authenticators: ${refusal} Remove the other extension.`);
  }
  const beat = setInterval(() => void evaluate('beat()').catch(() => clearInterval(beat)), SILENCE / 4).unref();
  return async () => {
    clearInterval(beat);
    unloading = true;
    // A browser that hangs answers nothing.
    await Promise.race([devtools.send('Extensions.uninstall', { id }).catch(() => {}), timeLimit(UNLOAD_WITHIN)]);
  };
}

/** How long the browser may take to unload the extension, in milliseconds. */
const UNLOAD_WITHIN = 2_000;

/** How long the extension's worker may take to start, in milliseconds. */
const START_WITHIN = 30_000;

const crashed = () => new PasskeyError('target_unreachable', 'The extension fails in this browser: its worker has crashed.');

/** Attaches to the extension's worker, so that the browser never suspends the worker. Returns the DevTools session of the worker. */
async function attachWorker(devtools: DevTools, address: string): Promise<string> {
  const started = new Promise<string>((resolve) => {
    devtools.on(({ method, params }) => {
      const { type, url, targetId } = asObject(params['targetInfo']);
      if (method === 'Target.targetCreated' && type === 'service_worker' && String(url).startsWith(address)) resolve(String(targetId));
    });
  });
  await devtools.send('Target.setDiscoverTargets', { discover: true });
  const targetId = await Promise.race([started, devtools.over]);
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  return String(sessionId);
}

interface Answers {
  readonly answering: Answering;
  readonly evaluate: (expression: string) => Promise<unknown>;
  /** Calls that have no response yet. The key is the ID of the call's request. */
  readonly open: Map<unknown, AbortController>;
}

async function answerCall({ call, requestId, requestDetailsJson }: JsonObject, { answering, evaluate, open }: Answers): Promise<void> {
  const id = Number(requestId);
  if (!Number.isInteger(id) || (call !== 'create' && call !== 'get')) return;
  const isCreate = call === 'create';
  const options = parseJson(String(requestDetailsJson));
  const aborting = new AbortController();
  open.set(id, aborting);
  const answer: ProxiedAnswer = isObject(options)
    ? await answering({ call, id, options }, aborting.signal).finally(() => open.delete(id))
    : { error: { name: 'NotAllowedError', message: 'The browser passed options to the extension that are not JSON.' } };
  const details =
    'error' in answer ? { requestId: id, error: answer.error } : { requestId: id, responseJson: JSON.stringify(answer.response) };
  // Fails where the page has given up meanwhile, or the browser has gone.
  await evaluate(`chrome.webAuthenticationProxy.complete${isCreate ? 'Create' : 'Get'}Request(${JSON.stringify(details)})`).catch(() => {});
}
