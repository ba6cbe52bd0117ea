import type { FastifyRequest } from 'fastify';
import { ERRORS, PasskeyError } from '../../errors.js';
import { withoutContents } from '../../fixture/response.js';
import { isObject } from '../../kernel/json-value.js';
import { nameOwner, type OwnerRef } from '../../kernel/owner.js';
import { formatTimestamp } from '../../kernel/wording.js';
import type { CeremonyBegun, CeremonyFinished, PasskeyChanged, RelyingPartyEvent } from '../../relying-party/events.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { findRequest, operationContext } from '../ceremony-input.js';
import type { AppOptions } from '../options.js';
import { foreignOrigin } from '../origins.js';
import type { Problem } from '../problem.js';
import type { StreamEntry } from '../schemas/stream.js';
import { StreamBook, type StreamBookOptions } from './book.js';
import { trimEnd } from './ended.js';
import {
  changedOptions,
  changeMessage,
  describeChange,
  describeForeignPage,
  noteEnd,
  noteProblem,
  noteSource,
  shortenSecrets,
} from './entry.js';
import { type Kept, NOTHING_KEPT } from './kept.js';
import type { StreamRecord } from './records.js';
import { challengeNamed, SoftwareNotes } from './software-notes.js';

const LONGEST_PATH = 500;

export interface StreamOptions extends StreamBookOptions, Pick<AppOptions, 'relyingParty'> {
  /** Origins whose pages may use this server: first the server's own origin, then those of `--origin`. */
  readonly origins: readonly string[];
  /** Called once for each origin that may not use this server but whose pages call it. */
  readonly onForeignPage: (message: string) => void;
}

/**
 * Collects the events of a development server for the list on the test page: every ceremony, every refused request, and every change of a
 * passkey.
 */
export class Stream {
  readonly book: StreamBook;
  readonly #options: StreamOptions;
  readonly #notes = new SoftwareNotes();
  /** The stream entry that belongs to each request. */
  readonly #ofRequest = new WeakMap<FastifyRequest, StreamRecord>();
  readonly #stop: () => void;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.book = new StreamBook(options);
    this.#stop = options.relyingParty.on((event) => this.#hear(event));
  }

  /**
   * Finds which software authenticator made a response, and which mutation broke it. Undefined if this server did not make the response.
   */
  softwareOf(response: unknown): StreamEntry['software'] | undefined {
    return this.#notes.get(response)?.software;
  }

  /** Notes that a software authenticator of this server responded to options, or that this server broke a response. */
  noteSoftware(options: string, response: unknown, software: NonNullable<StreamEntry['software']>): void {
    this.#notes.set(response, { software, challenge: options });
    const record = this.book.begunWith(options);
    if (record === undefined || record.answered) return;
    record.entry.software = software;
    this.book.changed(record);
  }

  /**
   * Records what a page reports about its call of the browser or of a software authenticator. @returns false if the stream has no entry for
   * the ceremony, or if `maySee` forbids access to the entry; otherwise true.
   */
  noteBrowser(
    challenge: string,
    report: Partial<Pick<StreamEntry, 'browser' | 'software'>>,
    maySee: (entry: StreamEntry) => boolean,
  ): boolean {
    const record = this.book.begunWith(challenge);
    if (record === undefined || !maySee(record.entry)) return false;
    Object.assign(record.entry, report);
    this.book.changed(record);
    return true;
  }

  /** Records that a request was refused or failed. If the relying party has already reported the request, its existing entry is used. */
  refused(request: FastifyRequest, problem: Problem): void {
    const record = this.#ofRequest.get(request) ?? this.#answerRefused(request, problem) ?? this.#ownRequest(request);
    noteProblem(record.entry, problem);
    this.book.keep(record, { title: problem.title });
    this.book.changed(record);
  }

  /** Notes that a request gets a scripted response. */
  scripted(request: FastifyRequest): void {
    this.book.changed(this.#ownRequest(request, { state: 'scripted', message: 'POST /dev/next scripted this answer.' }));
  }

  /** Checks whether the stream has an entry for this request. */
  knows(request: FastifyRequest): boolean {
    return this.#ofRequest.has(request);
  }

  /** Records the HTTP status of the response to a request. */
  answered(request: FastifyRequest, status: number): void {
    const record = this.#ofRequest.get(request) ?? this.#unreadable(request);
    if (record === undefined || record.entry.status === status) return;
    record.entry.status = status;
    this.book.changed(record);
  }

  async close(): Promise<void> {
    this.#stop();
    await this.book.close();
  }

  #hear(event: RelyingPartyEvent): void {
    const record = this.#recordOf(event);
    const { context } = event;
    noteSource(record.entry, context);
    const request = findRequest(context);
    if (request !== undefined) {
      this.#ofRequest.set(request, record);
      this.book.keep(record, readPath(request));
    }
    this.book.changed(record);
  }

  #recordOf(event: RelyingPartyEvent): StreamRecord {
    switch (event.type) {
      case 'ceremony-begun':
        return this.#begun(event);
      case 'ceremony-finished':
        return this.#finished(event);
      default:
        return this.#passkeyChanged(event);
    }
  }

  #begun({ at, ceremony, standing, context }: CeremonyBegun): StreamRecord {
    const { kind, rpId, origins, owner, options } = ceremony;
    const request = findRequest(context);
    const foreign = request && foreignOrigin(request, [...this.#options.origins, ...origins]);
    if (foreign !== undefined) return this.#foreignCall(foreign);
    const { challenge: _, ...shown } = options;
    const given = { at, kind, rp_id: rpId, origins: [...origins], changed_options: changedOptions(options, standing) };
    const record = this.book.add({ ...given, state: 'open' }, { ...NOTHING_KEPT, options: withoutContents(shown) }, ceremony);
    this.book.belongsTo(record, owner, context);
    return record;
  }

  /**
   * Assigns a response to a ceremony: to the one whose challenge the response contains, or to the one for which this server made the
   * response. A second response to the same ceremony becomes a separate entry.
   */
  #finished(event: CeremonyFinished): StreamRecord {
    const { at, kind, ceremony: taken, error, passkey, owner, context } = event;
    const named = taken === undefined ? challengeNamed(event.response) : encodeBase64url(taken.challenge);
    const note = this.#notes.get(event.response);
    const known = this.#knownOf(kind, [note?.challenge, named]);
    // Whose ceremony it was may see neither the answer of another, nor the other whose ceremony it was.
    const isAnothers = isOther(taken?.owner, owner);
    const same = known?.entry.kind === kind && !isAnothers ? known : undefined;
    // Another process had it before.
    const isUsed = event.challenge?.status === 'used';
    const record =
      same?.answered === false && !(isUsed && same.challenge === named)
        ? same
        : this.book.add({ at, kind, state: 'open', changed_options: [...(same?.entry.changed_options ?? [])] }, NOTHING_KEPT);
    // One that was taken is over, whatever it was answered with.
    const spent = taken === undefined || named === undefined ? undefined : this.book.begunWith(named);
    if (spent !== undefined && spent !== record && !spent.answered) this.book.end(spent, isUsed ? 'elsewhere' : 'expired', at);
    if (note !== undefined) record.entry.software = note.software;
    const ceremony = isAnothers ? undefined : (taken ?? same?.ceremony);
    this.book.answered(record, { taken, ceremony, response: event.response });
    noteEnd(record.entry, isAnothers ? { ...event, ceremony: undefined } : event);
    this.book.keep(record, {
      options: null,
      title: error?.title ?? null,
      end: trimEnd({ event: isAnothers ? { ...event, ceremony } : event, ceremony }),
    });
    this.book.belongsTo(record, passkey?.owner ?? owner, context);
    return record;
  }

  /** Finds the entry for one of these challenges. If there are several, prefers an entry of the same kind of ceremony. */
  #knownOf(kind: CeremonyFinished['kind'], challenges: readonly (string | undefined)[]): StreamRecord | undefined {
    const known = challenges.flatMap((challenge) => (challenge === undefined ? [] : (this.book.begunWith(challenge) ?? [])));
    return known.find(({ entry }) => entry.kind === kind) ?? known[0];
  }

  #passkeyChanged(event: PasskeyChanged): StreamRecord {
    const { at, passkey, context } = event;
    const change = describeChange(event);
    const record = this.book.add(
      {
        at,
        finished_at: formatTimestamp(at),
        kind: 'change',
        state: 'changed',
        rp_id: passkey.rpId,
        passkey: { id: passkey.id, label: passkey.label },
        message: changeMessage(passkey, change),
      },
      { ...NOTHING_KEPT, change },
    );
    this.book.belongsTo(record, passkey.owner, context);
    return record;
  }

  /**
   * Notes a response that never reached the relying party, or that was refused for a reason outside the ceremony, such as too many
   * passkeys.
   */
  #answerRefused(request: FastifyRequest, { code, detail, step }: Problem): StreamRecord | undefined {
    const { body } = request;
    const named = this.#notes.get(body)?.challenge ?? challengeNamed(body);
    const known = named === undefined ? undefined : this.book.begunWith(named);
    if (known === undefined || known.answered || !isObject(body)) return undefined;
    if (isOther(known.ceremony?.owner, operationContext(request).user)) return undefined;
    const kind = known.entry.kind === 'registration' ? 'registration' : 'authentication';
    this.#hear({
      type: 'ceremony-finished',
      at: this.#options.now(),
      context: operationContext(request),
      kind,
      outcome: 'rejected',
      ceremony: undefined,
      challenge: undefined,
      credentialKnown: undefined,
      response: body,
      passkey: undefined,
      owner: known.ceremony?.owner,
      error: new PasskeyError(code, detail ?? ERRORS[code].title, step === undefined ? {} : { step }),
      decidedBy: undefined,
      difference: undefined,
      policy: this.#options.relyingParty.policy,
    });
    return known;
  }

  /** Records a request from a page of another origin, from which the browser hides the response. */
  #unreadable(request: FastifyRequest): StreamRecord | undefined {
    const { url, headers } = request;
    const isBrowser = 'access-control-request-method' in headers || 'sec-fetch-site' in headers;
    const isForeign = isBrowser && foreignOrigin(request, this.#options.origins) !== undefined;
    return isForeign && url.startsWith('/api/') ? this.#ownRequest(request) : undefined;
  }

  /** Records a call from a page of another origin. All pages of one origin share an entry, since they may make any number of calls. */
  #foreignCall(origin: string): StreamRecord {
    const at = this.#options.now();
    const known = this.book.foreign(origin);
    if (known?.entry.foreign !== undefined) {
      known.entry.foreign.requests += 1;
      known.entry.finished_at = formatTimestamp(at);
      return known;
    }
    const [, ...given] = this.#options.origins;
    const { message, command } = describeForeignPage(origin, given);
    this.#options.onForeignPage(message);
    const foreign = { origin, requests: 1, command };
    return this.book.add(
      { at, finished_at: formatTimestamp(at), kind: 'request', state: 'refused', origins: [origin], message, foreign },
      NOTHING_KEPT,
    );
  }

  /** Records a request that belongs to no ceremony. Each scripted response gets its own entry, whichever page made the call. */
  #ownRequest(
    request: FastifyRequest,
    given: Pick<StreamEntry, 'state'> & Partial<Pick<StreamEntry, 'message'>> = { state: 'refused' },
  ): StreamRecord {
    const at = this.#options.now();
    const context = operationContext(request);
    const target = readPath(request);
    const foreign = given.state === 'scripted' ? undefined : foreignOrigin(request, this.#options.origins);
    const record =
      foreign === undefined
        ? this.book.add({ at, finished_at: formatTimestamp(at), kind: 'request', ...given }, { ...NOTHING_KEPT, ...target })
        : this.#foreignCall(foreign);
    noteSource(record.entry, context);
    const endpoint = request.is404 ? target.path : record.entry.via;
    if (endpoint !== null) record.entry.via = `${request.method} ${endpoint}`;
    this.#ofRequest.set(request, record);
    this.book.belongsTo(record, context.user, context);
    return record;
  }
}

function isOther(one: OwnerRef | undefined, other: OwnerRef | undefined): boolean {
  return one !== undefined && other !== undefined && nameOwner(one) !== nameOwner(other);
}

/** Reads method and path of a request. Leaves out the query string, which may hold a key or a token. */
function readPath({ method, url }: FastifyRequest): Pick<Kept, 'method' | 'path'> {
  return { method, path: shortenSecrets(url.split('?', 1)[0] ?? '').slice(0, LONGEST_PATH) };
}
