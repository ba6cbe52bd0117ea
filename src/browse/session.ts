import { PasskeyError } from '../errors.js';
import { type HarCeremony, type HarFinding, harCeremonies, harFindings } from '../explain/annotate/har.js';
import { plainBase64 } from '../explain/annotate/har-entries.js';
import { asObject, isObject, type JsonObject } from '../kernel/json-value.js';
import type { Call, EndedCeremony, SiteCeremony, SoftwareAnswer } from './ceremony.js';
import type { ProxiedAnswer, ProxiedCall } from './extension.js';
import { createJudge } from './judge.js';
import { type Exchange, writeEntry } from './network.js';

export interface SessionOptions {
  /** Answers as a software authenticator would. Rejects with the DOMException that the page gets, perhaps as the cause of a PasskeyError. */
  readonly answer: (call: Call) => Promise<SoftwareAnswer>;
  /** Whether real authenticators answer: then every response that a page sends is a ceremony. */
  readonly watch?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onEnded: (ceremony: EndedCeremony) => void;
  /** Called instead where a ceremony cannot be judged. */
  readonly onUnjudged: (ceremony: SiteCeremony, cause: unknown) => void;
}

/** Milliseconds that a page has to send a response to its server. */
const PATIENCE = 15_000;
/** Options and responses of pages that are remembered: a response comes soon after its options. */
const REMEMBERED = 200;

/** The ceremonies of the sites in one browser, from the call to the answer of the site's server. */
export class Session {
  readonly #options: SessionOptions;
  readonly #judge: ReturnType<typeof createJudge>;
  /** Answered, and not sent to a server yet, as far as was seen. */
  readonly #waiting = new Map<number, { readonly ceremony: SiteCeremony; readonly timer: NodeJS.Timeout }>();
  /** Options and responses that pages got and sent, the oldest first. */
  #findings: HarFinding[] = [];
  #last = 0;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#judge = createJudge(options.now);
  }

  /** Answers a call of a page. */
  async called({ call, options: proxied }: ProxiedCall): Promise<ProxiedAnswer> {
    const { options, origin, crossOrigin } = readOverride(proxied);
    const asked: Call = { kind: call === 'create' ? 'registration' : 'authentication', options, origin, crossOrigin, topOrigin: undefined };
    this.#last += 1;
    const offered = this.#findOffered(options);
    const base = {
      ...asked,
      number: this.#last,
      at: this.#options.now(),
      offered: offered?.found.json,
      asked: offered,
      exchange: undefined,
    };
    try {
      const answered = await this.#options.answer(asked);
      this.#begin({ ...base, ...answered, error: undefined });
      return { response: answered.response };
    } catch (cause) {
      const error = readException(cause);
      this.#end({ ...base, persona: null, tamper: null, response: undefined, error });
      return { error };
    }
  }

  /** Takes a request of a page: the one that carries a response ends its ceremony. */
  exchanged(exchange: Exchange): void {
    const found = harFindings({ log: { entries: [writeEntry(exchange)] } });
    this.#findings = [...this.#findings, ...found].slice(-REMEMBERED);
    if (this.#options.watch) {
      const sent = harCeremonies(this.#findings).filter(({ credential }) =>
        found.some((one) => 'credential' in one.found && one.found.credential === credential),
      );
      for (const ceremony of sent) this.#watched(ceremony, exchange);
    } else if (exchange.sent !== undefined) {
      const text = plainText(exchange.sent);
      const answered = [...this.#waiting.values()].find(({ ceremony }) => carries(text, ceremony.response));
      if (answered !== undefined) this.#end({ ...answered.ceremony, exchange });
    }
  }

  #watched({ kind, credential, options = {} }: HarCeremony, exchange: Exchange): void {
    this.#last += 1;
    const { decoded } = credential.clientDataJSON;
    const { crossOrigin = false, topOrigin } = decoded?.ok === true ? decoded.value : {};
    const { at, origin = exchange.url } = exchange;
    const unseen = { offered: undefined, asked: this.#findOffered(options), persona: null, tamper: null, error: undefined };
    const response = credential.json;
    this.#end({ ...unseen, number: this.#last, kind, at, options, origin, crossOrigin, topOrigin, response, exchange });
  }

  /** The options as the site sent them: those with the same challenge. */
  #findOffered({ challenge }: JsonObject): HarFinding | undefined {
    const isSame = (other: unknown) =>
      typeof other === 'string' && typeof challenge === 'string' && plainBase64(other) === plainBase64(challenge);
    return this.#findings.findLast(({ found }) => found.kind.endsWith('-options') && isSame(found.json['challenge']));
  }

  /** Ends what waits. Resolves when all has been reported. */
  async close(): Promise<void> {
    for (const { ceremony } of this.#waiting.values()) this.#end(ceremony);
    await this.#ended;
  }

  #begin(ceremony: SiteCeremony): void {
    const timer = setTimeout(() => this.#end(ceremony), PATIENCE).unref();
    this.#waiting.set(ceremony.number, { ceremony, timer });
  }

  /** One after the other, so that a registration is known to the login after it. */
  #end(ceremony: SiteCeremony): void {
    clearTimeout(this.#waiting.get(ceremony.number)?.timer);
    this.#waiting.delete(ceremony.number);
    this.#ended = this.#ended
      .then(async () => this.#options.onEnded({ ...ceremony, ...(await this.#judge(ceremony)) }))
      .catch((cause: unknown) => this.#options.onUnjudged(ceremony, cause));
  }
}

/** Takes out what Chromium adds for the proxy: the authenticator must not see it. */
function readOverride(proxied: JsonObject): Pick<Call, 'options' | 'origin' | 'crossOrigin'> {
  const { extensions, ...rest } = proxied;
  const { remoteDesktopClientOverride, ...others } = asObject(extensions);
  const { origin, sameOriginWithAncestors } = asObject(remoteDesktopClientOverride);
  const options = Object.keys(others).length === 0 ? rest : { ...rest, extensions: others };
  return { options, origin: String(origin), crossOrigin: sameOriginWithAncestors === false };
}

function readException(cause: unknown): { readonly name: string; readonly message: string } {
  const thrown = cause instanceof PasskeyError && cause.cause instanceof DOMException ? cause.cause : cause;
  const name = thrown instanceof DOMException ? thrown.name : 'NotAllowedError';
  return { name, message: thrown instanceof Error ? thrown.message : String(thrown) };
}

/** Whether a body has the bytes of a response, however they are wrapped: as JSON, in a form, in either alphabet of base64. */
function carries(text: string, response: JsonObject | undefined): boolean {
  const { clientDataJSON, attestationObject, signature } = asObject(response?.['response']);
  const parts = [clientDataJSON, attestationObject ?? signature].filter((part) => typeof part === 'string');
  return isObject(response) && parts.every((part) => text.includes(plainBase64(part)));
}

/** JSON escapes the slash, and forms the signs of base64. */
function plainText(body: string): string {
  return plainBase64(body.replaceAll('\\/', '/').replaceAll(/%2[bf]/gi, (escaped) => decodeURIComponent(escaped)));
}
