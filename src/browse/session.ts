import { PasskeyError } from '../errors.js';
import { type HarCeremony, type HarFinding, harCeremonies, harFindings } from '../explain/annotate/har.js';
import { plainBase64 } from '../explain/annotate/har-entries.js';
import { whyRpIdRefused } from '../explain/unanswered.js';
import { asObject, type JsonObject } from '../kernel/json-value.js';
import type { Autofill } from './autofill.js';
import type { Call, EndedCeremony, SiteCeremony, SoftwareAnswer } from './ceremony.js';
import type { ProxiedAnswer, ProxiedCall } from './extension.js';
import { carries, createJudge, findCredential } from './judge.js';
import { type Exchange, writeEntry } from './network.js';

export interface SessionOptions {
  /** Handles conditional calls. Without this member, every call is treated as a plain one. */
  readonly autofill?: Pick<Autofill, 'readOptions' | 'picked'> | undefined;
  /**
   * Called when a conditional call begins to wait for the user. Called again with `isEmpty` if the user opens the list and no passkey fits.
   */
  readonly onWaiting?: ((call: Call, isEmpty: boolean) => void) | undefined;
  /**
   * Responds to a call as a software authenticator would. Rejects with the DOMException that the page gets, or with a PasskeyError whose
   * `cause` is that DOMException.
   */
  readonly answer: (call: Call) => Promise<SoftwareAnswer>;
  /** Whether real authenticators respond to the pages. Then every response in a page's traffic counts as a ceremony. */
  readonly watch?: boolean;
  /** The current time, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly onEnded: (ceremony: EndedCeremony) => void;
  /** Called instead of `onEnded` if a ceremony cannot be checked. */
  readonly onUnjudged: (ceremony: SiteCeremony, cause: unknown) => void;
}

/** How long a page may take to send a response to its server, in milliseconds. */
const PATIENCE = 15_000;
/**
 * How long a page may take to make its call, in milliseconds, if the browser may refuse the RP ID in the options. After that, the browser
 * is assumed to have refused.
 */
const UNCALLED = 2_000;
/** Matches a credential, or a part that should hold bytes, that a page wrote in JSON as an empty object. */
const EMPTIED = /"\w*(?:credential|response|attestation|assertion|rawId|clientData)\w*"\s*:\s*\{\s*\}/i;
/** Maximum number of options and responses that are remembered. A response arrives soon after its options, so few are needed. */
const REMEMBERED = 200;

/** A ceremony of which nothing is known but the call. */
const BEGUN = {
  crossOrigin: false,
  topOrigin: undefined,
  isConditional: false,
  offered: undefined,
  persona: null,
  tamper: null,
  response: undefined,
  error: undefined,
  exchange: undefined,
} as const;

/** Follows the ceremonies of all sites in one browser, from the call to the reply of the site's server. */
export class Session {
  readonly #options: SessionOptions;
  readonly #judge: ReturnType<typeof createJudge>;
  /** Ceremonies whose response the page has received, but has not yet sent to a server. */
  readonly #waiting = new Map<number, { readonly ceremony: SiteCeremony; readonly timer: NodeJS.Timeout }>();
  /** Options and responses in the traffic of pages, the oldest first. */
  #findings: HarFinding[] = [];
  #last = 0;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#judge = createJudge(options.now);
  }

  /** Answers a call of a page. A conditional call waits until the user picks a passkey. */
  async called(proxied: ProxiedCall, signal: AbortSignal): Promise<ProxiedAnswer> {
    const { call, session } = readCall(proxied, this.#options.autofill);
    const { options } = call;
    // The browser takes the RP ID after all.
    for (const { number, error, options: others } of this.#listWaiting()) {
      if (error !== undefined && isSameChallenge(others, options)) this.#forget(number);
    }
    this.#last += 1;
    const offered = this.#findOffered(options);
    const base = { ...BEGUN, ...call, number: this.#last, at: this.#options.now(), offered: offered?.found.json, asked: offered };
    try {
      const answered = await (session === undefined ? this.#options.answer(call) : this.#answerPicked(call, { session, signal }));
      this.#begin({ ...base, ...answered });
      return { response: answered.response };
    } catch (cause) {
      const error = readException(cause);
      // The page gave up, or has gone.
      if (error.name !== 'AbortError') this.#end({ ...base, error });
      return { error };
    }
  }

  /**
   * Responds to a conditional call when the user picks a passkey. If no passkey fits, the list was empty, and the call continues to wait.
   */
  async #answerPicked(
    call: Call,
    { session, signal }: { readonly session: string; readonly signal: AbortSignal },
  ): Promise<SoftwareAnswer> {
    const { answer, autofill, onWaiting } = this.#options;
    onWaiting?.(call, false);
    for (;;) {
      await autofill?.picked(session, signal);
      try {
        return await answer(call);
      } catch (cause) {
        if (readException(cause).name !== 'NotAllowedError') throw cause;
        onWaiting?.(call, true);
      }
    }
  }

  /** Handles an HTTP exchange of a page. An exchange that carries the response of a ceremony ends this ceremony. */
  exchanged(exchange: Exchange): void {
    const found = harFindings({ log: { entries: [writeEntry(exchange)] } });
    this.#findings = [...this.#findings, ...found].slice(-REMEMBERED);
    if (this.#options.watch) {
      const sent = harCeremonies(this.#findings).filter(({ credential }) =>
        found.some((one) => 'credential' in one.found && one.found.credential === credential),
      );
      for (const ceremony of sent) this.#watched(ceremony, exchange);
    } else if (exchange.sent !== undefined) {
      const answered = this.#findSent(exchange.sent) ?? this.#findSentWrongly(exchange);
      if (answered !== undefined) this.#end({ ...answered, exchange });
    }
    // Real authenticators may take long, and the page says nothing of their answer.
    if (!this.#options.watch) for (const finding of found) this.#expectCall(finding);
  }

  #findSent(body: string): SiteCeremony | undefined {
    return this.#listWaiting().find(({ response }) => carries(body, response));
  }

  /**
   * Finds the ceremony of a credential that a page sent without its bytes, because the page wrote ArrayBuffers as JSON. It is the latest
   * ceremony for which a page of this origin got a response.
   */
  #findSentWrongly(exchange: Exchange): SiteCeremony | undefined {
    const { origin, sent = '' } = exchange;
    const credential = findCredential(exchange);
    const isEmptied = credential === undefined ? EMPTIED.test(sent) : credential.clientDataJSON.decoded?.ok !== true;
    return isEmptied ? this.#listWaiting().findLast((one) => one.response !== undefined && one.origin === origin) : undefined;
  }

  #listWaiting(): SiteCeremony[] {
    return [...this.#waiting.values()].map(({ ceremony }) => ceremony);
  }

  /**
   * Handles options with an RP ID that the browser may refuse. If the browser refuses the RP ID, it never calls an authenticator, and this
   * ceremony ends with an error. If related origins allow the RP ID, the call still arrives.
   */
  #expectCall({ found, ...asked }: HarFinding): void {
    const { origin } = asked;
    const { kind: document, json: options } = found;
    const why = whyRpIdRefused(options, origin);
    if ((document !== 'creation-options' && document !== 'request-options') || origin === undefined || why === undefined) return;
    this.#last += 1;
    const kind = document === 'creation-options' ? 'registration' : 'authentication';
    const error = { name: 'SecurityError', message: why };
    const call = { ...BEGUN, number: this.#last, at: this.#options.now(), kind, options, origin, offered: options, asked } as const;
    this.#begin({ ...call, error }, UNCALLED);
  }

  #watched({ kind, credential, options = {} }: HarCeremony, exchange: Exchange): void {
    this.#last += 1;
    const { decoded } = credential.clientDataJSON;
    const { crossOrigin = false, topOrigin } = decoded?.ok === true ? decoded.value : {};
    const { at, origin = exchange.url } = exchange;
    const [asked, response] = [this.#findOffered(options), credential.json];
    this.#end({ ...BEGUN, number: this.#last, kind, at, options, origin, crossOrigin, topOrigin, asked, response, exchange });
  }

  /** Finds the options as the site sent them, by the challenge that they share with the given options. */
  #findOffered(options: JsonObject): HarFinding | undefined {
    return this.#findings.findLast(({ found }) => found.kind.endsWith('-options') && isSameChallenge(found.json, options));
  }

  /** Ends the ceremonies that are still open. Resolves when all of these ceremonies are reported. */
  async close(): Promise<void> {
    for (const { ceremony } of this.#waiting.values()) this.#end(ceremony);
    await this.#ended;
  }

  #begin(ceremony: SiteCeremony, patience = PATIENCE): void {
    const timer = setTimeout(() => this.#end(ceremony), patience).unref();
    this.#waiting.set(ceremony.number, { ceremony, timer });
  }

  #forget(number: number): void {
    clearTimeout(this.#waiting.get(number)?.timer);
    this.#waiting.delete(number);
  }

  /**
   * Ends a ceremony. Ceremonies are checked and reported one after the other, so that a login is checked against the registration before
   * it.
   */
  #end(ceremony: SiteCeremony): void {
    this.#forget(ceremony.number);
    this.#ended = this.#ended
      .then(async () => this.#options.onEnded({ ...ceremony, ...(await this.#judge(ceremony)) }))
      .catch((cause: unknown) => this.#options.onUnjudged(ceremony, cause));
  }
}

function isSameChallenge({ challenge: one }: JsonObject, { challenge: other }: JsonObject): boolean {
  return typeof one === 'string' && typeof other === 'string' && plainBase64(one) === plainBase64(other);
}

/**
 * Reads a call that the extension passes on. Separates its options from the members that Chromium and autofill add, which an authenticator
 * must not see: Chromium's state the origin of the call, and that of autofill the DevTools session in which a conditional call waits.
 */
export function readCall(
  { call, options: proxied }: ProxiedCall,
  autofill: Pick<Autofill, 'readOptions'> | undefined,
): { readonly call: Call; readonly session: string | undefined } {
  const { extensions, ...rest } = proxied;
  const { remoteDesktopClientOverride, ...others } = asObject(extensions);
  const { origin, sameOriginWithAncestors } = asObject(remoteDesktopClientOverride);
  const given = Object.keys(others).length === 0 ? rest : { ...rest, extensions: others };
  const { options, session } = autofill?.readOptions(given) ?? { options: given, session: undefined };
  return {
    call: {
      kind: call === 'create' ? 'registration' : 'authentication',
      options,
      origin: String(origin),
      crossOrigin: sameOriginWithAncestors === false,
      topOrigin: undefined,
      isConditional: session !== undefined,
    },
    session,
  };
}

export function readException(cause: unknown): { readonly name: string; readonly message: string } {
  const thrown = cause instanceof PasskeyError && cause.cause instanceof DOMException ? cause.cause : cause;
  const name = thrown instanceof DOMException ? thrown.name : 'NotAllowedError';
  return { name, message: thrown instanceof Error ? thrown.message : String(thrown) };
}
