import type { Annotation, ExplainDocument, Unannotated } from '../../explain/document-schema.js';
import { NOTHING_EXPLAINED } from '../../explain/nothing-explained.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { MAX_DOCUMENT_BYTES } from '../../kernel/limits.js';
import { count } from '../../kernel/wording.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { CEREMONIES, knownValue } from '../../webauthn/enumerations.js';
import { type Ceremony, ceremonyFromFile } from '../ceremony-file.js';
import { FAILED, judgePasted } from '../items.js';
import { listAt, stringAt } from '../json.js';
import { describeFailure, type HttpLeg, succeeded } from '../run.js';
import { findWrong, makeExpectations } from '../setup/expected.js';
import { quoted } from '../shown-text.js';
import type { Given, Pasted } from '../state.js';
import { statusLine } from '../state.js';
import type { App } from './app.js';
import { loadExpectations } from './catalogue.js';

/** One explained document in the server's response, with the data that the page needs to draw it. */
type DevExplainDocument = ExplainDocument & {
  readonly kind_name: string;
  readonly options: JsonObject | null;
  readonly response: JsonObject | null;
};

/** HTML id of the field for pasting. */
export const PASTE_BOX = 'paste-box';

/** Milliseconds without typing after which the page asks the server again. */
export const PAUSE = 250;

/**
 * Asks the server to explain an input, like `passkey explain`, and adds each document as an item. Selects the first document that was
 * refused or has no response, or else the first. A ceremony saved by this page needs no server. An input that cannot be explained stays in
 * the field, with the reason.
 *
 * @returns whether the input was explained.
 */
export async function explain(app: App, given: Given): Promise<boolean> {
  const { documents, problem } = await read(app, given);
  if (problem !== undefined) {
    app.store.set({ unexplained: { given, problem }, selected: undefined, drawer: undefined, toFocus: PASTE_BOX });
    return false;
  }
  const selected = add(app, documents);
  app.store.set({ drawer: undefined, toFocus: `${selected}-heading` });
  return true;
}

/** Shows the ceremony that a link contains; ignores any other contents. */
export async function explainShared(app: App, text: string | undefined): Promise<void> {
  if (text === undefined) return;
  if (ceremonyFromFile(text) !== undefined) await explain(app, { input: text, name: 'a link' });
  else app.store.set(statusLine('The link has no ceremony that this page can read. Ask for the file.', true));
}

/** The latest typed input. Explanations of earlier inputs are ignored. */
let typed: Given | undefined;

/**
 * Explains the input while the user is typing. Replaces the previous explanation and does not move the focus. Removes the explanation if
 * the input is empty.
 */
export async function explainTyped(app: App, given: Given | undefined, before: Given | undefined): Promise<void> {
  typed = given;
  const { documents = [], problem } = given === undefined ? {} : await read(app, given);
  if (typed !== given) return;
  if (given !== undefined && problem === undefined) {
    add(app, documents, before);
    return;
  }
  const pasted = app.store.get().pasted.filter(({ from }) => from?.given !== before || before === undefined);
  app.store.set({ pasted, selected: undefined, unexplained: given && { given, problem: problem ?? '' } });
}

interface Read {
  readonly documents: readonly Explained[];
  /** Reason why the response has no documents. */
  readonly problem: string | undefined;
}

async function read(app: App, given: Given): Promise<Read> {
  const saved = given.encoding === undefined ? ceremonyFromFile(given.input) : undefined;
  if (saved !== undefined) return { documents: [pastedFrom(saved, given.name ?? 'a saved ceremony')], problem: undefined };
  const { documents, leg } = await ask(app, given);
  return { documents, problem: documents.length > 0 ? undefined : (stringAt(leg.answer, 'detail') ?? describeFailure(leg)) };
}

/** Explains pasted data again, with the user's current expectations. Changes nothing if the server fails or the user keeps typing. */
export async function explainAgain(app: App, given: Given): Promise<void> {
  const { documents } = await ask(app, given);
  const { pasted, expected } = app.store.get();
  if (documents.some(({ from }) => from?.expected !== expected)) return;
  const renewed = pasted.map((one) => (one.from?.given === given ? { ...one, ...documents[one.from.index] } : one));
  app.store.set({ pasted: renewed });
}

type Explained = Omit<Pasted, 'id' | 'at'>;

/** Asks the server for explanations. If the server cannot read some expectations, marks these and asks again without them. */
async function ask(app: App, given: Given): Promise<{ readonly documents: readonly Explained[]; readonly leg: HttpLeg }> {
  const { api, store } = app;
  if (Object.keys(store.get().expected.texts).length > 0) await loadExpectations(app);
  const { expectations } = store.get();
  let { expected } = store.get();
  const fields = expectations.status === 'loaded' ? expectations.rows : [];
  const send = () => api.call('POST', '/dev/explain', { ...given, expectations: makeExpectations(expected, fields) });
  let leg = await send();
  const wrong = findWrong(leg.answer);
  if (Object.keys(wrong).length > 0) {
    const { texts, wrong: before } = store.get().expected;
    expected = { texts, wrong: { ...before, ...wrong } };
    store.set({ expected });
    leg = await send();
  }
  const documents = readDocuments(leg).map((one, index) => ({ ...one, from: { given, index, expected } }));
  return { documents, leg };
}

/** Opens the empty field for pasting. */
export function openPaste({ store }: App): void {
  store.set({ selected: undefined, compared: undefined, drawer: undefined, unexplained: undefined, toFocus: PASTE_BOX });
}

/** Loads a refused login as an example, which does not appear in the list. */
export async function loadExample({ api }: App): Promise<Explained | undefined> {
  return readDocuments(await api.call('GET', '/dev/example'))[0];
}

function readDocuments(leg: HttpLeg): readonly Explained[] {
  const documents = succeeded(leg) ? listAt(leg.answer, 'documents').filter(isDocument) : [];
  return documents.map((document) => ({
    document,
    kindName: document.kind_name,
    options: document.options ?? undefined,
    response: document.response ?? undefined,
  }));
}

/** Explains the contents of a file like pasted text. */
export async function explainFile(app: App, file: File): Promise<boolean> {
  if (file.size > MAX_DOCUMENT_BYTES) {
    const problem = `${quoted(file.name)} has ${count(file.size, 'byte')}; at most ${MAX_DOCUMENT_BYTES} can be explained here.`;
    app.store.set({ unexplained: { given: { input: '' }, problem }, selected: undefined });
    return false;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  return explain(app, { ...textOrBytes(bytes), name: file.name });
}

/** Reads bytes as text, or as base64url if they are not text. */
function textOrBytes(bytes: Uint8Array): Given {
  try {
    const input = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!input.includes('\0')) return { input };
  } catch {
    // DER, CBOR …
  }
  return { input: encodeBase64url(bytes), encoding: 'base64' };
}

/** Adds the documents to the list, replacing those of the input `before`. Selects one document and returns its key. */
function add({ store }: App, documents: readonly Explained[], before?: Given): string {
  const { pasted } = store.get();
  const old = before === undefined ? [] : pasted.filter(({ from }) => from?.given === before);
  const others = pasted.filter((one) => !old.includes(one));
  const last = Math.max(0, ...pasted.map(({ id }) => id));
  const now = Date.now();
  const items = documents.map((one, index) => ({ ...one, id: old[index]?.id ?? last + 1 + index, at: old[index]?.at ?? now }));
  const worst = items.find((one) => FAILED.includes(judgePasted(one.document))) ?? items[0];
  const selected = `pasted-${worst?.id}`;
  const said = items.length === 1 ? (worst?.document.headline ?? 'Explained.') : `${items.length} ceremonies explained.`;
  store.set({ pasted: [...items, ...others], selected, unexplained: undefined, ...statusLine(said) });
  return selected;
}

function isDocument(value: unknown): value is DevExplainDocument {
  return isObject(value) && Array.isArray(value['steps']);
}

function pastedFrom({ item, options, response, explanation }: Ceremony, source: string): Explained {
  const ceremony = knownValue(item.kind, CEREMONIES) ?? null;
  return { document: explanation ?? { ...NOTHING_EXPLAINED, source, ceremony }, options, response, shared: item };
}

/** Fields that the server decoded, or the reason why it decoded none. */
export type Annotated = { readonly annotation: Annotation } | { readonly problem: string };

/** Requests already made, by the response to decode. A request that failed is made again. */
const asked = new WeakMap<JsonObject, Map<string, Promise<Annotated>>>();

/** Asks the server to decode a response and the public key of its credential record, because the page itself decodes nothing. */
export async function annotate({ api }: App, { response = {}, publicKey, rpId }: Unannotated): Promise<Annotated> {
  const known = asked.get(response) ?? new Map<string, Promise<Annotated>>();
  asked.set(response, known);
  const key = JSON.stringify([publicKey, rpId]);
  const ask = async (): Promise<Annotated> => {
    const leg = await api.call('POST', '/dev/annotate', { response, public_key: publicKey, rp_id: rpId });
    if (succeeded(leg) && isAnnotation(leg.answer)) return { annotation: leg.answer };
    known.delete(key);
    return { problem: stringAt(leg.answer, 'detail') ?? describeFailure(leg) };
  };
  const answer = known.get(key) ?? ask();
  known.set(key, answer);
  return await answer;
}

function isAnnotation(value: unknown): value is Annotation {
  return isObject(value) && isObject(value['response']);
}
