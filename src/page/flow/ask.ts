import { isObject, type JsonObject } from '../../webauthn/json-value.js';
import { numberAt, stringAt } from '../json.js';
import { type BrowserLeg, describeFailure, type Software, succeeded } from '../run.js';
import type { App } from './app.js';
import type { CallRequest } from './browser-calls.js';
import type { RunHandle } from './run-log.js';

/** `answerWith` of this browser; every other value is a persona of the server's software authenticator. */
export const THIS_BROWSER = 'browser';

export interface Ask extends CallRequest {
  /** A mutation of the catalogue that breaks the answer. */
  readonly tamper?: Mutation | undefined;
  /** Credential ID (base64url): a software authenticator answers with this one. */
  readonly credentialId?: string | undefined;
}

/** What the page needs to know of a mutation to make it. */
export interface Mutation {
  readonly id: string;
  /** It can be made to the browser's own response; else a software authenticator has to answer, which signs it anew. */
  readonly inBrowser: boolean;
}

/** Has the options answered: by this browser or by the software authenticator, as chosen. Adds the leg to the run, unless it was aborted. */
export async function ask(app: App, run: RunHandle, request: Ask): Promise<{ readonly leg: BrowserLeg; readonly aborted: boolean }> {
  const { answerWith } = app.store.get();
  const { tamper } = request;
  run.waitFor('browser', numberAt(request.options, 'timeout'));
  const bySoftware = answerWith !== THIS_BROWSER || tamper?.inBrowser === false;
  const asked = bySoftware
    ? { leg: await answerBySoftware(app, run, request, answerWith === THIS_BROWSER ? undefined : answerWith), aborted: run.signal.aborted }
    : await app.calls.run(request, run.signal);
  const leg = bySoftware || tamper === undefined ? asked.leg : await tamperWith(app, asked.leg, tamper);
  if (!asked.aborted || run.signal.aborted) run.add(leg);
  await reportCall(app, leg);
  return { leg, aborted: asked.aborted };
}

async function answerBySoftware(app: App, run: RunHandle, request: Ask, persona: string | undefined): Promise<BrowserLeg> {
  const { call, options, mediation, tamper, credentialId } = request;
  const answer = await app.api.call(
    'POST',
    '/dev/answer',
    {
      options,
      ...(mediation === undefined ? {} : { mediation }),
      ...(persona === undefined ? {} : { persona }),
      ...(tamper === undefined ? {} : { tamper: tamper.id }),
      ...(credentialId === undefined ? {} : { credential_id: credentialId }),
    },
    { signal: run.signal },
  );
  const software: Software = { persona: persona ?? stringAt(answer.answer, 'persona'), tamper: tamper?.id };
  const common = { kind: 'browser', call, mediation, options, milliseconds: answer.milliseconds, software } as const;
  const response = responseIn(answer.answer);
  if (succeeded(answer) && response !== undefined) return { ...common, response, error: undefined };
  const message = describeFailure(answer);
  const name = stringAt(answer.answer, 'code') ?? 'Error';
  const next = 'Choose another software authenticator, or answer with this browser.';
  return {
    ...common,
    response: undefined,
    error: { name, message, explanation: { title: 'The software authenticator refused', causes: [message], next } },
  };
}

/** The browser's response with one thing broken. */
async function tamperWith(app: App, leg: BrowserLeg, { id }: Mutation): Promise<BrowserLeg> {
  if (leg.response === undefined) return leg;
  const changed = await app.api.call('POST', '/dev/tamper', { id, options: leg.options, response: leg.response });
  const response = responseIn(changed.answer);
  const software: Software = { persona: undefined, tamper: id };
  if (succeeded(changed) && response !== undefined) return { ...leg, response, software };
  const message = describeFailure(changed);
  const explanation = { title: 'The response could not be changed', causes: [message], next: 'Choose another change.' };
  return { ...leg, response: undefined, software, error: { name: 'Error', message, explanation } };
}

function responseIn(answer: unknown): JsonObject | undefined {
  const response = isObject(answer) ? answer['response'] : undefined;
  // A credential has a member `response` too.
  return isObject(response) && isObject(response['response']) ? response : isObject(response) && isObject(answer) ? answer : undefined;
}

/** Tells the server what this browser said, so that a cancelled ceremony is told from an open one everywhere. */
async function reportCall(app: App, { call, options, error, milliseconds, software }: BrowserLeg): Promise<void> {
  const challenge = stringAt(options, 'challenge');
  if (app.store.get().server?.local !== true || software !== undefined || challenge === undefined) return;
  await app.api.call('POST', '/dev/stream/browser', {
    challenge,
    call,
    error: error?.name ?? null,
    message: error?.message ?? null,
    milliseconds: Math.round(milliseconds),
  });
}
