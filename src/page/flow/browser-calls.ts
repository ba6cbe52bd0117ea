import type { JsonObject } from '../../webauthn/json-value.js';
import type { CallResult } from '../browser.js';
import { createCredential, getCredential } from '../browser.js';
import { explainBrowserError } from '../errors/browser-errors.js';
import { allowedIn, failedCall } from '../errors/failed-call.js';
import type { BrowserLeg } from '../run.js';

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

export function createBrowserCalls(clock: () => number, signalled: () => readonly string[]): BrowserCalls {
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
      return { leg: toLeg(request, result, clock() - start, signal.aborted, signalled()), aborted: signal.aborted };
    },
  };
}

function toLeg(
  request: CallRequest,
  result: CallResult,
  milliseconds: number,
  abortedByPage: boolean,
  signalled: readonly string[],
): BrowserLeg {
  const { call, options, mediation } = request;
  const common = { kind: 'browser', call, mediation, options, milliseconds, software: undefined } as const;
  if ('response' in result) {
    return { ...common, response: result.response, error: undefined };
  }
  const allowed = allowedIn(options);
  const explanation = explainBrowserError(
    failedCall(
      { ...result.error, call, mediation, options, milliseconds },
      {
        origin: location.origin,
        signalled: allowed.length === 0 ? signalled.length > 0 : allowed.some((id) => signalled.includes(id)),
        secureContext: isSecureContext,
        permitted: permitted(`publickey-credentials-${call}`),
        framed: window.top !== window,
        focused: document.hasFocus(),
        abortedByPage,
      },
    ),
  );
  return { ...common, response: undefined, error: { ...result.error, explanation } };
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
