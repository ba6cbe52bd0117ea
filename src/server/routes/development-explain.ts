import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { PasskeyError } from '../../errors.js';
import { KIND_NAMES } from '../../explain/annotate/kinds.js';
import type { Recognised } from '../../explain/annotate/recognise.js';
import type { ExplainHooks } from '../../explain/explain.js';
import { encodeUtf8 } from '../../kernel/bytes.js';
import { MAX_DOCUMENT_BYTES } from '../../kernel/limits.js';
import { decodeBase64 } from '../../webauthn/base64url.js';
import { type DevelopmentGuard, maySee } from '../development-guard.js';
import type { App, AppOptions } from '../options.js';
import type { RememberedCeremonies } from '../remembered-ceremonies.js';
import type { ExpectationField } from '../schemas/expectations.js';
import {
  DevAnnotateBody,
  DevBrowserErrorBody,
  type DevExplainAnswer,
  DevExplainBody,
  type DevExplainDocument,
} from '../schemas/explain.js';
import { fieldErrors } from '../validation.js';

/** Maximum number of ceremonies that one request explains. A user reads fewer, and each one takes some milliseconds. */
const MOST_CEREMONIES = 1_000;
/**
 * Maximum number of bytes in a request body: the size of the largest document, plus room for the quotes that must be escaped when the
 * document is sent in JSON.
 */
const BODY_LIMIT = MAX_DOCUMENT_BYTES + MAX_DOCUMENT_BYTES / 4;
const NAME = 'The input';

/**
 * Adds `POST /dev/explain`, which explains pasted text or a file as `passkey explain` does. The result also contains the response and the
 * options, whose bytes the page draws. If the input lacks expectations, the server adds its own facts. `GET /dev/example` returns the same
 * kind of result for a recorded login that a server refuses.
 */
export function addDevExplainRoute(
  app: App,
  { relyingParty, now }: AppOptions,
  { guard, ceremonies }: { readonly guard: DevelopmentGuard; readonly ceremonies: RememberedCeremonies },
): void {
  const schema = { hide: true, body: DevExplainBody };
  /** Resolves when the latest explanation is finished. Explanations run one after another, since each one keeps a processor busy. */
  let last: Promise<unknown> = Promise.resolve();

  app.post('/dev/explain', { onRequest: guard.localOrBearer, bodyLimit: BODY_LIMIT, schema }, async (request, reply) => {
    const { input, encoding, name = NAME, expectations = {} } = request.body;
    const bytes = encoding === 'base64' ? decodeInput(input) : encodeUtf8(input);
    const { ceremonyKnowledge } = await import('../ceremony-knowledge.js');
    const knowledge = ceremonyKnowledge({ relyingParty, ceremonies, now, maySee: (owner) => maySee(request, owner) });
    const mine = last.then(async () => await explained({ name, bytes, now: now(), expectations }, { knowledge, ...bounds(reply) }));
    last = mine.catch(() => {});
    return await mine;
  });

  app.get('/dev/example', { onRequest: guard.localOrBearer, schema: { hide: true } }, async (_, reply): Promise<DevExplainAnswer> => {
    const { default: fixture } = await import('../../../fixtures/recorded/login-discoverable.json', { with: { type: 'json' } });
    const input = {
      name: NAME,
      bytes: encodeUtf8(JSON.stringify(fixture)),
      now: Date.parse(fixture.provenance.recordedAt),
      expectations: EXPECTED,
    };
    return await explained(input, bounds(reply));
  });
}

/** Expectations of the example. They contain the most common mistake: the server expects the origin of another port. */
const EXPECTED = { origin: 'http://localhost:3000' };

/** Adds `GET /dev/expectations`, which lists what an application may expect of a ceremony. The page shows each expectation as a field. */
export function addDevExpectationsRoute(app: App, { localOrBearer }: DevelopmentGuard): void {
  app.get('/dev/expectations', { onRequest: localOrBearer, schema: { hide: true } }, async (): Promise<readonly ExpectationField[]> => {
    return (await import('../../explain/expectation-members.js')).STATED_EXPECTATIONS;
  });
}

interface Input {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly now: number;
  readonly expectations: NonNullable<Static<typeof DevExplainBody>['expectations']>;
}

async function explained({ name, bytes, now, expectations }: Input, hooks: ExplainHooks): Promise<DevExplainAnswer> {
  const [{ explainInput }, { writeDocuments }, { readExpectations }] = await Promise.all([
    import('../../explain/explain.js'),
    import('../../explain/document.js'),
    import('../../explain/expectations.js'),
  ]);
  const settings = readExpectations(
    expectations,
    () => now,
    (member, detail) => fieldErrors([{ pointer: `/expectations/${member}`, detail: `must be ${detail}` }]),
  );
  try {
    const found = await explainInput({ name, bytes }, settings, now, hooks);
    const { recognised, ceremonies, unanswered } = found;
    const alone = readAlone(recognised);
    const kind_name = KIND_NAMES[recognised.kind];
    const documents = writeDocuments(name, found).map((document, index) => {
      const ceremony = ceremonies[index];
      const call = unanswered[index - ceremonies.length];
      if (call !== undefined) return { ...document, response: null, options: call.options, kind_name, known_from: [] };
      if (ceremony === undefined) return { ...document, ...alone, kind_name };
      const { response, options = null, knownFrom } = ceremony;
      return { ...document, response, options, kind_name, known_from: knownFrom };
    });
    return { documents };
  } catch (cause) {
    // Here a fixture is no file of the server.
    if (!(cause instanceof PasskeyError) || cause.code !== 'fixture_invalid') throw cause;
    throw new PasskeyError('validation_failed', cause.message, { cause });
  }
}

/**
 * Finds what to show for an input without a ceremony: the input itself if it is a response or options, otherwise the first options in the
 * input.
 */
function readAlone(recognised: Recognised): Pick<DevExplainDocument, 'response' | 'options' | 'known_from'> {
  const found = 'findings' in recognised ? recognised.findings.map((finding) => finding.found) : 'json' in recognised ? [recognised] : [];
  const first = (...kinds: readonly string[]) => found.find(({ kind }) => kinds.includes(kind))?.json ?? null;
  return { response: first('registration', 'authentication'), options: first('creation-options', 'request-options'), known_from: [] };
}

function bounds(reply: FastifyReply): Pick<ExplainHooks, 'accept' | 'pause'> {
  return {
    accept(ceremonies) {
      if (ceremonies <= MOST_CEREMONIES) return;
      throw new PasskeyError(
        'validation_failed',
        `Expected at most ${MOST_CEREMONIES} ceremonies; got ${ceremonies}. Record fewer in one archive, or run \`passkey explain\` on the file.`,
      );
    },
    // Lets other requests in, and ends when the client has gone.
    async pause() {
      await setImmediate();
      if (reply.raw.destroyed) throw new PasskeyError('interrupted', 'The client has gone.');
    },
  };
}

function decodeInput(input: string): Uint8Array {
  const decoded = decodeBase64(input);
  if (decoded === undefined) {
    throw fieldErrors([{ pointer: '/input', detail: 'must be base64 or base64url, as `encoding` says' }]);
  }
  return decoded.bytes;
}

/**
 * Maximum number of bytes in a response together with its public key: sixteen times what the API accepts. Each member becomes a tree of
 * fields, so a body of many megabytes would block the server for seconds.
 */
const ANNOTATE_BODY_LIMIT = 1024 * 1024;

/**
 * Adds `POST /dev/annotate`, which returns the fields inside a response and inside a public key. The page can then draw their bytes without
 * decoding them itself.
 */
export function addDevAnnotateRoute(app: App, { localOrBearer }: DevelopmentGuard): void {
  const schema = { hide: true, body: DevAnnotateBody };
  app.post('/dev/annotate', { onRequest: localOrBearer, bodyLimit: ANNOTATE_BODY_LIMIT, schema }, async ({ body }) => {
    const { annotateCeremony } = await import('../../explain/annotation.js');
    const { response, public_key: publicKey, rp_id: rpId } = body;
    return annotateCeremony({ response, publicKey, rpId });
  });
}

/**
 * Adds `POST /dev/browser-error`, which explains an error of `navigator.credentials`, or of a software authenticator that replaced it. The
 * request contains the options of the call and facts about the page.
 */
export function addDevBrowserErrorRoute(app: App, { localOrBearer }: DevelopmentGuard): void {
  const schema = { hide: true, body: DevBrowserErrorBody };
  app.post('/dev/browser-error', { onRequest: localOrBearer, schema }, async ({ body }) => {
    const [{ explainBrowserError }, { explainSoftwareError }, { failedCall }] = await Promise.all([
      import('../../explain/browser-errors/browser-errors.js'),
      import('../../explain/browser-errors/software-errors.js'),
      import('../../explain/browser-errors/failed-call.js'),
    ]);
    const { name, message, call, mediation, milliseconds, options, permitted, secure_context: secureContext, software, ...seen } = body;
    const thrown = { name, message, call, mediation, milliseconds, options };
    const failed = failedCall(thrown, { ...seen, secureContext, permitted: permitted ?? undefined });
    return software === true ? explainSoftwareError(failed) : explainBrowserError(failed);
  });
}
