import type { Explanation } from '../../explain/error-texts/meaning.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { WOULD_REFUSE_WITH } from '../../kernel/wording.js';
import { PLAIN, THIS_BROWSER } from '../catalogue.js';
import { numberAt, stringAt } from '../json.js';
import {
  type BrowserError,
  type BrowserLeg,
  describeFailure,
  findBrowserLeg,
  findVerdictLeg,
  type HttpLeg,
  type Software,
  succeeded,
} from '../run.js';
import type { AppState } from '../state.js';
import type { App } from './app.js';
import { type CallRequest, explainThrown } from './browser-calls.js';
import type { RunHandle } from './run-log.js';

interface Ask extends CallRequest {
  /** Mutation of the catalogue that changes the response. */
  readonly tamper?: Mutation | undefined;
  /** Credential ID (base64url) that a software authenticator must use. */
  readonly credentialId?: string | undefined;
  /** Authenticator that replaces the one chosen on the page. */
  readonly answerWith?: string | undefined;
}

/** Members of a mutation that the page needs to apply it. */
interface Mutation {
  readonly id: string;
  readonly title: string;
  /**
   * True if the mutation can change the browser's own response. Otherwise a software authenticator has to respond, so that it can sign the
   * changed data.
   */
  readonly inBrowser: boolean;
}

/** Settings of a ceremony that the page starts for its own purpose. They replace the settings in the bar. */
export interface Purpose {
  /** Title of the run, instead of the title of the ceremony. */
  readonly title?: string;
  readonly tamper?: Mutation | undefined;
  readonly answerWith?: string | undefined;
  /** Members that replace those of the options drawer. */
  readonly options?: JsonObject | undefined;
  /** Credential ID (base64url) that the software authenticator uses for discoverable logins. */
  readonly credentialId?: string | undefined;
}

/**
 * Finds the authenticator for ceremonies. If the server offers no software authenticator, that is this browser, even if the user chose a
 * software authenticator on another server.
 */
export function findAnswerer({ answerWith, server }: Pick<AppState, 'answerWith' | 'server'>): string {
  return server?.local === true ? answerWith : THIS_BROWSER;
}

/**
 * Sends the options to the chosen authenticator: this browser or the software authenticator. Adds the leg to the run, unless the call was
 * aborted.
 */
export async function ask(app: App, run: RunHandle, request: Ask): Promise<{ readonly leg: BrowserLeg; readonly aborted: boolean }> {
  const { tamper, options } = request;
  const chosen = request.answerWith ?? findAnswerer(app.store.get());
  const persona = chosen !== THIS_BROWSER ? chosen : tamper?.inBrowser === false ? PLAIN : undefined;
  if (persona !== undefined) {
    run.waitFor('server');
    const leg = await answerBySoftware(app, run, request, persona);
    run.add(leg);
    // The server knows of its own answers.
    if (leg.error !== undefined && leg.error.name !== UNREACHED) await reportCall(app, leg);
    return { leg, aborted: run.signal.aborted };
  }
  run.waitFor('browser', numberAt(options, 'timeout'));
  const asked = await app.calls.run(request, run.signal);
  const leg = tamper === undefined ? asked.leg : await tamperWith(app, asked.leg, tamper);
  if (!asked.aborted || run.signal.aborted) run.add(leg);
  await reportCall(app, asked.leg);
  return { leg, aborted: asked.aborted };
}

async function answerBySoftware(app: App, run: RunHandle, request: Ask, persona: string): Promise<BrowserLeg> {
  const { call, options, mediation, tamper, credentialId } = request;
  const answer = await app.api.call(
    'POST',
    '/dev/answer',
    {
      options: call === 'create' ? optionsForPersona(options, persona, app.store.get()) : options,
      ...(mediation === undefined ? {} : { mediation }),
      ...(persona === PLAIN ? {} : { persona }),
      ...(tamper === undefined ? {} : { tamper: tamper.id }),
      ...(credentialId === undefined ? {} : { credential_id: credentialId }),
    },
    { signal: run.signal },
  );
  const software: Software = { persona, tamper: tamper?.id };
  const common = { kind: 'browser', call, mediation, options, milliseconds: answer.milliseconds, software } as const;
  const response = responseIn(answer);
  if (response !== undefined) return { ...common, response, honest: responseIn(answer, 'honest'), error: undefined };
  if (run.signal.aborted) {
    const explanation = { title: 'Ended by this page', causes: ['You cancelled it.'], next: 'Begin it again when you like.' };
    return { ...common, response: undefined, error: { name: 'AbortError', message: describeFailure(answer), explanation } };
  }
  return { ...common, response: undefined, error: await readRefusal(app, request, answer) };
}

/** Changes the browser's response by one mutation of the catalogue. */
async function tamperWith(app: App, leg: BrowserLeg, { id }: Mutation): Promise<BrowserLeg> {
  if (leg.response === undefined) return leg;
  const changed = await app.api.call('POST', '/dev/tamper', { id, options: leg.options, response: leg.response });
  const response = responseIn(changed);
  const software: Software = { persona: undefined, tamper: id };
  if (response !== undefined) return { ...leg, response, honest: leg.response, software };
  return { ...leg, response: undefined, software, error: readTamperRefusal(changed) };
}

/** Converts the server's problem document to a browser error, named after the exception in the problem or, without one, after its code. */
async function readRefusal(app: App, { call, options, mediation }: Ask, answer: HttpLeg): Promise<BrowserError> {
  const said = describeFailure(answer);
  if (answer.status === undefined) return { name: UNREACHED, message: said, explanation: { ...UNREACHABLE, causes: [said] } };
  const code = stringAt(answer.answer, 'code') ?? 'internal_error';
  const detail = stringAt(answer.answer, 'detail') ?? said;
  const named = code === 'options_refused' && detail.startsWith(WOULD_REFUSE_WITH) ? detail.slice(WOULD_REFUSE_WITH.length) : '';
  const end = named.indexOf(': ');
  const error = end === -1 ? { name: code, message: detail } : { name: named.slice(0, end), message: named.slice(end + 2) };
  const explanation = await explainThrown(app.api, {
    ...error,
    call,
    ...(mediation === undefined ? {} : { mediation }),
    options,
    milliseconds: answer.milliseconds,
    software: true,
    ...NO_PAGE,
    origin: location.origin,
  });
  return { ...error, explanation };
}

/** Circumstances to report for a call that no browser made, so that nothing about the page can be the cause of its error. */
const NO_PAGE = { signalled: false, secure_context: true, permitted: null, framed: false, focused: true };

/** Explains why a response could not be changed. */
function readTamperRefusal(changed: HttpLeg): BrowserError {
  const message = describeFailure(changed);
  const unreachable = changed.status === undefined;
  const name = unreachable ? UNREACHED : (stringAt(changed.answer, 'code') ?? 'internal_error');
  const text = unreachable ? UNREACHABLE : (TAMPER_REFUSALS[name] ?? UNEXPECTED);
  return { name, message, explanation: { ...text, causes: [stringAt(changed.answer, 'detail') ?? message] } };
}

/** Name of the error that is shown if the server did not respond. */
const UNREACHED = 'NetworkError';

type Text = Pick<Explanation, 'title' | 'next'>;

const UNREACHABLE: Text = { title: 'The server did not answer', next: 'Start `passkey serve` again, then repeat it.' };

const UNEXPECTED: Text = { title: 'The response could not be changed', next: 'Use a software authenticator.' };

const TAMPER_REFUSALS: Readonly<Record<string, Text>> = {
  not_applicable: {
    title: 'This mistake cannot be made here',
    next: 'It needs another passkey, other options or an earlier ceremony: the cause says which.',
  },
};

function responseIn(leg: HttpLeg, member = 'response'): JsonObject | undefined {
  const response = succeeded(leg) && isObject(leg.answer) ? leg.answer[member] : undefined;
  return isObject(response) ? response : undefined;
}

/**
 * Reports the result of this browser or of the software authenticator to the server. Every view can then distinguish a cancelled ceremony
 * from one that is still open.
 */
async function reportCall(app: App, { call, options, error, milliseconds, software }: BrowserLeg): Promise<void> {
  const challenge = stringAt(options, 'challenge');
  if (app.store.get().server?.local !== true || challenge === undefined) return;
  await app.api.call('POST', '/dev/stream/browser', {
    challenge,
    call,
    error: error?.name ?? null,
    message: error?.message ?? null,
    milliseconds: Math.round(milliseconds),
    ...(software?.persona === undefined ? {} : { software: { persona: software.persona, tamper: software.tamper ?? null } }),
  });
}

/**
 * Lists the passkeys that this server's software authenticator has created since it started, as far as this tab knows. Maps the id of each
 * passkey to the persona that created it. The persona is undefined if the registration was broken on purpose: possibly no authenticator can
 * log in with that passkey.
 */
export function softwarePasskeys({ runs, stream }: Pick<AppState, 'runs' | 'stream'>): ReadonlyMap<number, string | undefined> {
  const made = new Map<number, string | undefined>();
  for (const { kind, state, software, passkey } of stream) {
    if (kind !== 'registration' || state !== 'verified' || software === null || passkey === null) continue;
    made.set(passkey.id, software.tamper === null ? (software.persona ?? PLAIN) : undefined);
  }
  for (const run of runs) {
    const { software } = findBrowserLeg(run) ?? {};
    const id = numberAt(findVerdictLeg(run)?.answer, 'passkey', 'id');
    if (run.kind !== 'registration' || software === undefined || id === undefined) continue;
    made.set(id, software.tamper === undefined ? software.persona : undefined);
  }
  return made;
}

/**
 * Changes creation options so that a persona acts as a separate device. Removes the excluded credentials of other personas, because the
 * software authenticator stores the credentials of all personas together.
 */
function optionsForPersona(options: JsonObject, persona: string, state: Pick<AppState, 'runs' | 'stream' | 'passkeys'>): JsonObject {
  const { excludeCredentials: excluded } = options;
  if (!Array.isArray(excluded) || excluded.length === 0) return options;
  const makers = softwarePasskeys(state);
  const elsewhere = new Set(
    state.passkeys.filter(({ id }) => makers.has(id) && makers.get(id) !== persona).map(({ credential_id: credentialId }) => credentialId),
  );
  const left = excluded.filter((descriptor: unknown) => !(isObject(descriptor) && elsewhere.has(String(descriptor['id']))));
  return { ...options, excludeCredentials: left };
}
