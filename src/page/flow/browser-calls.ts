import type { JsonObject } from '../../kernel/json-value.js';
import { createCredential, getCredential } from '../browser.js';
import { listAt, stringAt } from '../json.js';
import type { BrowserLeg } from '../run.js';
import type { ExplainThrown } from './browser-error.js';

export interface CallRequest {
  readonly call: 'create' | 'get';
  readonly mediation?: 'conditional';
  readonly options: JsonObject;
}

/**
 * A browser runs one request of a page at a time. A new request therefore aborts the previous one and waits until it has ended.
 * `aborted` says that the page ended the call itself.
 */
export interface BrowserCalls {
  /** `cancelled` ends it too. */
  run(request: CallRequest, cancelled?: AbortSignal): Promise<{ readonly leg: BrowserLeg; readonly aborted: boolean }>;
  abort(): Promise<void>;
}

export interface CallParts {
  readonly clock: () => number;
  /** Credential IDs (base64url) that the page has asked the browser to hide or delete. */
  readonly signalled: () => readonly string[];
  readonly explain: ExplainThrown;
}

export function createBrowserCalls({ clock, signalled, explain }: CallParts): BrowserCalls {
  let current: { readonly controller: AbortController; readonly settled: Promise<unknown> } | undefined;

  const abort = async (): Promise<void> => {
    const ending = current;
    ending?.controller.abort();
    await ending?.settled;
  };

  return {
    abort,
    async run(request, cancelled) {
      await abort();
      const controller = new AbortController();
      const signal = cancelled === undefined ? controller.signal : AbortSignal.any([controller.signal, cancelled]);
      const start = clock();
      const mediation = request.mediation === undefined ? {} : { mediation: request.mediation };
      const pending =
        request.call === 'create'
          ? createCredential(request.options, { signal, ...mediation })
          : getCredential(request.options, { signal, ...mediation });
      const mine = { controller, settled: pending };
      current = mine;
      const result = await pending;
      if (current === mine) {
        current = undefined;
      }
      const { aborted } = signal;
      const { call, options } = request;
      const milliseconds = clock() - start;
      const common = { kind: 'browser', call, mediation: request.mediation, options, milliseconds, software: undefined } as const;
      if ('response' in result) return { leg: { ...common, response: result.response, error: undefined }, aborted };
      const thrown = { ...result.error, ...request, milliseconds, ...circumstances(request, signalled()) };
      const explanation = aborted ? ABORTED : await explain(thrown);
      return { leg: { ...common, response: undefined, error: { ...result.error, explanation } }, aborted };
    },
  };
}

const ABORTED = {
  title: 'Aborted by the page',
  causes: ['You cancelled it, or another request of the page began: browsers run one at a time.'],
  next: 'Nothing to do.',
};

/** What only this page can know of the call. */
function circumstances({ call, options }: CallRequest, signalled: readonly string[]) {
  const allowed = listAt(options, 'allowCredentials');
  return {
    origin: location.origin,
    signalled: allowed.length === 0 ? signalled.length > 0 : allowed.some((entry) => signalled.includes(stringAt(entry, 'id') ?? '')),
    secure_context: isSecureContext,
    permitted: permitted(`publickey-credentials-${call}`) ?? null,
    framed: window.top !== window,
    focused: document.hasFocus(),
  };
}

/** Whether the permissions policy allows a feature here; undefined where browsers have no API for it (Firefox, Safari). */
export function permitted(feature: string): boolean | undefined {
  interface PolicyHolder {
    readonly permissionsPolicy?: { allowsFeature(feature: string): boolean };
    readonly featurePolicy?: { allowsFeature(feature: string): boolean };
  }
  const holder: PolicyHolder = document as Document & PolicyHolder;
  return (holder.permissionsPolicy ?? holder.featurePolicy)?.allowsFeature(feature);
}
