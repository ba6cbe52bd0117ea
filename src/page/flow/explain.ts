import type { Annotation, ExplainDocument, Unannotated } from '../../explain/document-schema.js';
import { NOTHING_EXPLAINED } from '../../explain/nothing-explained.js';
import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { MAX_DOCUMENT_BYTES } from '../../kernel/limits.js';
import { count } from '../../kernel/wording.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { CEREMONIES, knownValue } from '../../webauthn/enumerations.js';
import { type Ceremony, ceremonyFromFile } from '../ceremony-file.js';
import { isRefused } from '../items.js';
import { listAt, stringAt } from '../json.js';
import { describeFailure, type HttpLeg, succeeded } from '../run.js';
import { findWrong, makeExpectations } from '../setup/expected.js';
import { quoted } from '../shown-text.js';
import type { Given, Pasted } from '../state.js';
import { statusLine } from '../state.js';
import type { App } from './app.js';
import { loadExpectations } from './catalogue.js';

/** One document of the answer, with what the page draws. */
type DevExplainDocument = ExplainDocument & {
  readonly kind_name: string;
  readonly options: JsonObject | null;
  readonly response: JsonObject | null;
};

/**
 * Has something explained by the server, by the function of `passkey explain`, and adds each document as an item. The first that the
 * recorded server refused is selected, else the first. A ceremony that a page saved needs no server. What cannot be explained opens the box, with the reason.
 *
 * @returns whether it was explained.
 */
export async function explain(app: App, given: Given): Promise<boolean> {
  const saved = given.encoding === undefined ? ceremonyFromFile(given.input) : undefined;
  if (saved !== undefined) {
    add(app, [pastedFrom(saved, given.name ?? 'a saved ceremony')]);
    return true;
  }
  const { documents, leg } = await ask(app, given);
  if (documents.length > 0) add(app, documents);
  else refuse(app, given, stringAt(leg.answer, 'detail') ?? describeFailure(leg));
  return documents.length > 0;
}

/** Explains what was pasted once more, held against what the user expects now. Nothing changes where the server cannot, or the user types on. */
export async function explainAgain(app: App, given: Given): Promise<void> {
  const { documents } = await ask(app, given);
  const { pasted, expected } = app.store.get();
  if (documents.some(({ from }) => from?.expected !== expected)) return;
  const renewed = pasted.map((one) => (one.from?.given === given ? { ...one, ...documents[one.from.index] } : one));
  app.store.set({ pasted: renewed });
}

type Explained = Omit<Pasted, 'id' | 'at'>;

/** Asks the server. Expectations that it cannot read are marked, and left out. */
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

/** Explains a document for a view of its own: it comes into no list, and whatever the user expects is nothing to it. */
export async function explainExample({ api }: App, input: string, expectations: JsonObject): Promise<Explained | undefined> {
  return readDocuments(await api.call('POST', '/dev/explain', { input, expectations }))[0];
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

/** The same for a file. */
export async function explainFile(app: App, file: File): Promise<boolean> {
  if (file.size > MAX_DOCUMENT_BYTES) {
    refuse(
      app,
      { input: '' },
      `${quoted(file.name)} has ${count(file.size, 'byte')}; at most ${MAX_DOCUMENT_BYTES} can be explained here.`,
    );
    return false;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  return explain(app, { ...textOrBytes(bytes), name: file.name });
}

/** Bytes that are no text go as base64url. */
function textOrBytes(bytes: Uint8Array): Given {
  try {
    const input = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!input.includes('\0')) return { input };
  } catch {
    // DER, CBOR …
  }
  return { input: encodeBase64url(bytes), encoding: 'base64' };
}

function add({ store }: App, pasted: readonly Explained[]): void {
  const before = store.get().pasted;
  const last = Math.max(0, ...before.map(({ id }) => id));
  const at = Date.now();
  const items = pasted.map((one, index) => ({ ...one, id: last + 1 + index, at }));
  const refused = items.find(({ document }) => isRefused(document.server));
  const selected = `pasted-${refused?.id ?? last + 1}`;
  const said = items.length === 1 ? 'Explained.' : `${items.length} ceremonies explained.`;
  store.set({ pasted: [...items, ...before], selected, drawer: undefined, unexplained: undefined, ...statusLine(said) });
  // When it has been drawn, and the box has given the focus back.
  requestAnimationFrame(() => document.getElementById(`${selected}-heading`)?.focus());
}

function refuse({ store }: App, { input, encoding }: Given, problem: string): void {
  store.set({ unexplained: { text: encoding === undefined ? input : '', problem }, drawer: 'paste' });
}

function isDocument(value: unknown): value is DevExplainDocument {
  return isObject(value) && Array.isArray(value['steps']);
}

function pastedFrom({ item, options, response, explanation }: Ceremony, source: string): Explained {
  const ceremony = knownValue(item.kind, CEREMONIES) ?? null;
  return { document: explanation ?? { ...NOTHING_EXPLAINED, source, ceremony }, options, response, shared: item };
}

/** Fields as the server decoded them, or why there are none. */
export type Annotated = { readonly annotation: Annotation } | { readonly problem: string };

/** Requests already made, by response. Failed ones are made again. */
const asked = new WeakMap<JsonObject, Map<string, Promise<Annotated>>>();

/** Has the server decode the fields of a response, and of the key of its credential record: the page decodes nothing by itself. */
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
