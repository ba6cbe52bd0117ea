import { mayBeCancelled } from '../explain/browser-errors/cancelled.js';
import type { ExplainDocument } from '../explain/document-schema.js';
import type { JsonObject } from '../kernel/json-value.js';
import type { StreamDetail, StreamEntry } from '../server/schemas/stream.js';
import { answererText, type Listed, type Persona, PLAIN } from './catalogue.js';
import { runKey } from './flow/run-log.js';
import { stringAt } from './json.js';
import { findBrowserLeg, findProblem, type Run, type Software } from './run.js';
import { matchesWords, shownText } from './shown-text.js';
import type { AppState, Filter, Pasted, SharedItem } from './state.js';
import { describeVerdict, type Tone, VERDICTS, type Verdict } from './verdicts.js';
import { formatClock } from './view/time.js';

/** One line of the list: a run of this tab, an entry of the server's stream, both combined, or pasted data. */
export interface Item extends SharedItem {
  /** Key of the item, which stays the same when the server's entry is combined with this tab's run. */
  readonly key: string;
  /** Time of the item in milliseconds since the epoch. */
  readonly at: number;
  /** True if this tab ran the ceremony. */
  readonly mine: boolean;
  readonly entry: StreamEntry | undefined;
  readonly pasted: Pasted | undefined;
}

type Sources = Pick<AppState, 'runs' | 'stream' | 'pasted'> & Partial<Pick<AppState, 'titles'>>;

/** Lists all items, newest first. */
export function listItems({ runs, stream, pasted, titles = {} }: Sources): Item[] {
  const runByRequest = new Map<string, Run>();
  for (const run of runs) {
    for (const id of run.requestIds ?? []) runByRequest.set(id, run);
  }
  const joined = new Map<number, StreamEntry>();
  const others: Item[] = [];
  for (const entry of stream) {
    const run = entry.request_ids.map((id) => runByRequest.get(id)).find((found) => found !== undefined);
    // A run that was refused twice keeps the later entry; the list is newest first.
    if (run === undefined) others.push(entryToItem(entry, titles));
    else if (!joined.has(run.id)) joined.set(run.id, entry);
  }
  const own = runs.map((run) => runToItem(run, joined.get(run.id)));
  return [...own, ...others, ...pasted.map(pastedToItem)].map(withShownTexts).sort((a, b) => b.at - a.at);
}

/** Makes invisible characters in names visible, because they could reverse a line of the list. */
function withShownTexts(item: Item): Item {
  const { title, source, user, passkey } = item;
  return {
    ...item,
    title: shownText(title),
    source: shownText(source),
    user: user && shownText(user),
    passkey: passkey && shownText(passkey),
  };
}

function runToItem(run: Run, entry: StreamEntry | undefined): Item {
  const leg = findBrowserLeg(run);
  return {
    key: runKey(run.id),
    at: run.startedAt,
    kind: run.kind,
    title: run.title,
    verdict: run.outcome === 'running' ? 'waiting' : run.outcome,
    mine: true,
    source: OWN,
    user: entry?.user ?? entry?.owner ?? undefined,
    passkey: entry?.passkey?.label ?? undefined,
    code: stringAt(findProblem(run), 'code') ?? leg?.error?.name ?? undefined,
    changed: entry?.changed_options ?? [],
    software: leg?.software,
    run,
    entry,
    pasted: undefined,
  };
}

const OWN = 'this tab';

const TITLES = { registration: 'Register a passkey', authentication: 'Log in', request: 'Request', change: 'Passkey changed' } as const;

function entryToItem(entry: StreamEntry, titles: AppState['titles']): Item {
  // Of a run of this tab, before a reload.
  const ownTitle = entry.request_ids.map((id) => titles[id]).find((title) => title !== undefined);
  const { software } = entry;
  const broken = software?.title && nameBroken(software.title);
  return {
    key: entry.id,
    at: Date.parse(entry.at),
    kind: entry.kind,
    title: ownTitle ?? broken ?? describeEntry(entry),
    verdict: judgeEntry(entry),
    mine: ownTitle !== undefined,
    source: ownTitle === undefined ? nameSource(entry) : OWN,
    user: entry.user ?? entry.owner ?? undefined,
    passkey: entry.passkey?.label ?? undefined,
    code: entry.code ?? entry.browser?.error ?? undefined,
    changed: entry.changed_options,
    software: software === null ? undefined : { persona: software.persona ?? undefined, tamper: software.tamper ?? undefined },
    run: undefined,
    entry,
    pasted: undefined,
  };
}

/** Builds the title of a ceremony that is broken on purpose, made from the title of its mutation. */
export function nameBroken(title: string): string {
  return `Break it: ${title}`;
}

/** Describes an entry in the list: a refused request by its path or its page, a change in the store by its message. */
function describeEntry({ kind, via, message, foreign }: StreamEntry): string {
  if (kind === 'request' && foreign === undefined) return via ?? TITLES.request;
  return kind === 'change' || foreign !== undefined ? (message ?? TITLES.change) : TITLES[kind];
}

function judgeEntry({ state, browser, software }: StreamEntry): Verdict {
  if (browser === null || browser.error === null || (state !== 'open' && state !== 'expired')) return state;
  return mayBeCancelled(browser.error, browser.milliseconds, typeof software?.persona === 'string') ? 'cancelled' : 'browser-error';
}

/** Returns the name of the program that sent the request. */
function nameSource({ page, user_agent: userAgent, via, site }: StreamEntry): string {
  if (site !== undefined) return site;
  if (page) return 'the test page';
  if (via?.startsWith('passkey ') === true) return 'command line';
  if (userAgent === null) return via ?? 'unknown';
  const product = /^([A-Za-z][\w.-]*\/[\d.]+)/.exec(userAgent)?.[1];
  const browser = /(Firefox|Edg|Chrome|Safari)\/(\d+)/.exec(userAgent);
  return userAgent.startsWith('Mozilla/') && browser !== null ? `${browser[1]} ${browser[2]}` : (product ?? userAgent.slice(0, 24));
}

/** Determines the verdict of a pasted ceremony: its server's recorded response, or else the result of the steps. */
export function judgePasted({ server, verdict, ceremony, error, known_errors: known }: ExplainDocument): Verdict {
  if (server?.verdict === 'refused' || server?.verdict === 'failed' || verdict === 'rejected') return 'rejected';
  if (server?.verdict === 'accepted' || verdict === 'accepted') return 'verified';
  if (verdict === 'undecided') return verdict;
  // Not judged: a call that got no response, an error, or what is neither.
  if (ceremony !== null && error === null) return 'browser-error';
  return error !== null || known.length > 0 ? 'error' : 'explained';
}

function pastedToItem(pasted: Pasted): Item {
  const { document, at, id, shared } = pasted;
  if (shared !== undefined) {
    const from = { key: `pasted-${id}`, at, mine: true, source: `a file, ${shared.source}` };
    return { ...shared, ...from, entry: undefined, pasted };
  }
  return {
    key: `pasted-${id}`,
    at,
    kind: 'pasted',
    title: document.name ?? pasted.kindName ?? document.source,
    verdict: judgePasted(document),
    mine: true,
    source: 'pasted',
    user: undefined,
    passkey: undefined,
    code: document.error?.code ?? document.steps.find(({ status }) => status === 'fail')?.code ?? undefined,
    changed: [],
    software: undefined,
    run: undefined,
    entry: undefined,
    pasted,
  };
}

/** Tests whether an item is a ceremony at this server. */
export function isCeremony({ kind }: Pick<Item, 'kind'>): boolean {
  return kind === 'registration' || kind === 'authentication';
}

/** Verdicts that the filter "Failed" shows. */
export const FAILED: readonly Verdict[] = ['rejected', 'refused', 'browser-error', 'unanswered', 'failed', 'error'];

/** Builds the name of the software authenticator and of the mutation, as a row of the list shows them. */
export function describeSoftware({ persona, tamper }: Software, personas?: Listed<Persona>): string {
  return [
    persona === undefined ? undefined : persona === PLAIN ? 'software' : `software: ${answererText(persona, personas)}`,
    tamper === undefined ? undefined : `broken: ${tamper}`,
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** Tests whether the list shows an item, which must pass the filter and contain every word of the search. */
export function isShown(item: Item, { which, search }: Filter, personas?: Listed<Persona>): boolean {
  if (which === 'mine' && !item.mine) return false;
  if (which === 'failed' && !FAILED.includes(item.verdict)) return false;
  if (search.trim() === '') return true;
  const { title, source, user, passkey, code, kind, changed, entry, software } = item;
  const row = [formatClock(item.at), describeVerdict(item), software && describeSoftware(software, personas)];
  return matchesWords(search, [title, source, user, passkey, code, kind, ...changed, entry?.via, entry?.rp_id, ...row].join('\n'));
}

/** Finds the full stream entry of an item; undefined until the server has sent it. */
export function findDetail({ entry }: Pick<Item, 'entry'>, details: AppState['details']): StreamDetail | undefined {
  const known = entry && details.get(entry.id);
  return known?.status === 'loaded' ? known.detail : undefined;
}

/** Options and response of a ceremony, taken from this tab, the server, or pasted data. */
export interface Material {
  readonly options: JsonObject | undefined;
  readonly response: JsonObject | undefined;
}

export function findMaterial(item: Item, details: AppState['details']): Material {
  if (item.pasted !== undefined) return item.pasted;
  const leg = item.run && findBrowserLeg(item.run);
  const detail = findDetail(item, details);
  return { options: leg?.options ?? detail?.options ?? undefined, response: leg?.response ?? detail?.response ?? undefined };
}

/** Chooses the title and icon colour of the tab from the newest ceremony; `items` begins with the newest. */
export function tabFace(items: readonly Item[]): { readonly title: string; readonly tone: Tone } {
  const newest = items.find(isCeremony);
  if (newest === undefined) return { title: 'passkey', tone: 'plain' };
  const { sign, tone } = VERDICTS[newest.verdict];
  return { title: `${sign} ${newest.title} · passkey`, tone };
}
