import type {
  AnswerObservation,
  DrivenPage,
  Ending,
  Observation,
  PageDriver,
  SentRequest,
  TriggerState,
  World,
} from '../../../src/testing/page/driver.js';
import { call, request, response } from './observed.js';

/** A flow of a scripted page: what the page does while its user plays it. */
export type Play = (page: ScriptedPage, user: number) => void;

const USABLE: TriggerState = { exists: true, isDisabled: false, isBusy: false, hasLostInput: false };
const SHOP = 'https://shop.example';

/** A page that does at once what a test says. All that a check asks of it is in the log. */
export class ScriptedPage implements DrivenPage<Play> {
  readonly observations: Observation[] = [];
  readonly world: World;
  /** States of the trigger, of which the last stays. */
  triggers: TriggerState[] = [USABLE];
  /** Whether a click reaches the trigger. */
  isCovered = false;
  /** Whether the flow throws after its last click if nothing waits for a success. */
  isHonest = true;
  autofill: () => void = () => undefined;
  readonly passkeys: string | undefined;
  readonly #log: (line: readonly unknown[]) => void;
  readonly #endings: Ending[];
  #requests = 0;
  #calls = 0;
  #action: () => void = () => undefined;

  constructor(world: World, passkeys: string | undefined, log: (line: readonly unknown[]) => void) {
    this.world = world;
    this.passkeys = passkeys;
    this.#log = log;
    this.#endings = [...(world.endings ?? [])];
  }

  observe(...observations: readonly Observation[]): void {
    this.observations.push(...observations);
  }

  /** Clicks the control that does something. */
  click(action: () => void): void {
    this.#action = action;
    this.observe({ kind: 'press' });
    action();
  }

  /** Sends a request that a server answers, unless the world does. */
  send(path: string, body: string, given: Partial<AnswerObservation> = {}, more: Partial<SentRequest> = {}): AnswerObservation {
    this.#requests += 1;
    const sent = request(this.#requests, { url: `${SHOP}${path}`, body, ...more });
    this.observe(sent);
    const change = sent.kind === 'request' ? this.world.answer?.(sent) : undefined;
    const own = { status: 200, headers: {}, body: '{}', ...given };
    const text = change?.kind === 'edit' ? change.edit(own.body ?? '') : change?.kind === 'answer' ? change.body : own.body;
    const status = change?.kind === 'offline' ? 0 : change?.kind === 'answer' ? change.status : own.status;
    const answer = { kind: 'answer', request: this.#requests, sentCookie: undefined, ...own, status, body: text } as const;
    this.observe(answer);
    return answer;
  }

  /** Calls `navigator.credentials`. Gives the response, unless the world ends the call otherwise. */
  ask(method: 'create' | 'get', options: object): object | undefined {
    this.#calls += 1;
    this.observe(call(this.#calls, { method, options: { ...options } }));
    const error = this.#endings.shift();
    const made = { ...response(this.#calls), id: `credential-${this.passkeys ?? 'new'}-${this.#calls}` };
    this.observe({ kind: 'ended', call: this.#calls, ...(error === undefined ? { response: made } : { error }) });
    return error === undefined ? made : undefined;
  }

  async play(flow: Play, { user, isHonest }: { readonly user: number; readonly isHonest: boolean }): Promise<void> {
    this.#log(['play', flow.name, user, isHonest ? 'to its end' : 'to its last click']);
    this.isHonest = isHonest;
    await Promise.resolve();
    flow(this, user);
  }

  async press(times: number): Promise<boolean> {
    this.#log(['press', times]);
    if (!this.isCovered) for (let click = 0; click < times; click += 1) this.click(this.#action);
    return await Promise.resolve(!this.isCovered);
  }

  async pickAutofill(): Promise<void> {
    this.#log(['pick']);
    await Promise.resolve();
    this.autofill();
  }

  async readTrigger(): Promise<TriggerState> {
    const [state = USABLE, ...later] = this.triggers;
    if (later.length > 0) this.triggers = later;
    this.#log(['read', state]);
    return await Promise.resolve(state);
  }

  async settle(): Promise<void> {
    this.#log(['settle']);
    await Promise.resolve();
  }

  async exportPasskeys(): Promise<string> {
    this.#log(['export']);
    return await Promise.resolve(`${this.passkeys ?? 'none'}+`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#log(['close']);
    await Promise.resolve();
  }
}

/** A browser of scripted pages, with the log of what was asked of them, and the largest number of pages that were open at once. */
export function scriptedBrowser() {
  const log: (readonly unknown[])[] = [];
  const pages: ScriptedPage[] = [];
  let open = 0;
  let most = 0;
  const driver: PageDriver<Play> = {
    async open(world, passkeys) {
      const number = pages.length + 1;
      const { answer, ...behaviour } = world;
      log.push([number, 'open', { ...behaviour, ...(answer && { answers: true }) }, passkeys ?? 'without passkeys']);
      open += 1;
      most = Math.max(most, open);
      const page = new ScriptedPage(world, passkeys, (line) => {
        log.push([number, ...line]);
        if (line[0] === 'close') open -= 1;
      });
      pages.push(page);
      return await Promise.resolve(page);
    },
  };
  return { driver, log, pages, mostOpen: () => most };
}

/** A ceremony of a correct page: fetches options, calls, sends the response. `make` may change what the page does with them. */
export function ceremony(page: ScriptedPage, kind: 'register' | 'login', more: object = {}): void {
  const number = page.observations.length;
  const offered = page.send(`/${kind}/options`, '{}', { body: JSON.stringify({ challenge: `challenge-${number}`, ...more }) });
  const options = readOptions(offered);
  if (options === undefined) return;
  const made = page.ask(kind === 'register' ? 'create' : 'get', options);
  if (made !== undefined) page.send(`/${kind}`, JSON.stringify(made));
}

/** The options in an answer; undefined if it has none. */
export function readOptions({ status, body = '' }: AnswerObservation): { readonly challenge: string } | undefined {
  if (status !== 200) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
