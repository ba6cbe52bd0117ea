import type { IncomingHttpHeaders } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { PasskeyError } from '../errors.js';
import { locateJsonError } from '../kernel/json-location.js';
import { unsupportedMediaType } from './problem.js';
import { describeUrlEncoded } from './request-mistakes.js';

/**
 * Makes the server accept only JSON bodies without a content coding. An empty body counts as absent, with any content type. A route with a
 * body schema then gets `{}`, so that the error names every missing field.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();

  // Fastify would refuse an unknown content type even where there is no content.
  app.addHook('onRequest', ({ raw: { headers } }, reply, done) => {
    const coded = contentCoding(headers) !== undefined;
    if (coded) {
      reply.header('accept-encoding', 'identity');
    }
    if (coded || !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
      delete headers['content-type'];
    }
    done();
  });

  const parseJson = app.getDefaultJsonParser('remove', 'remove');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    const text = decodeUtf8(body);
    if (text === undefined) {
      done(new PasskeyError('malformed_json', 'Expected a body that is valid JSON; its bytes are not valid UTF-8.'), undefined);
      return;
    }
    void parseJson(request, text, (error, value) => (error === null ? done(null, value) : done(located(text, error), undefined)));
  });

  // Reads only the first bytes: 415 comes before 413.
  app.addContentTypeParser('*', ({ raw: { headers } }, payload, done) => {
    const finish = (error: Error | null) => {
      payload.off('data', refuse).off('end', accept).off('error', finish);
      done(error, undefined);
    };
    const refuse = (chunk: Buffer) => chunk.length > 0 && finish(unsupportedMediaType(contentCoding(headers)));
    const accept = () => finish(null);
    payload.on('data', refuse).on('end', accept).on('error', finish);
  });

  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) {
      request.body = {};
    }
    done();
  });
}

/** Share of the heap that request bodies may use together. Decoding, parsing and checking a body needs further memory. */
const SHARE_OF_HEAP = 0.25;

/**
 * Limits the total number of bytes of all request bodies in memory. A body counts from the time when its length is announced until the
 * response is sent.
 */
export function boundBodies(app: FastifyInstance, limit: number = getHeapStatistics().heap_size_limit * SHARE_OF_HEAP): void {
  let held = 0;
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { bodyLimit } = request.routeOptions;
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const announced = length === undefined ? (coding === undefined ? 0 : bodyLimit) : Number(length);
    const bytes = Math.min(announced, bodyLimit);
    if (bytes > 0 && held > 0 && held + bytes > limit) {
      const message = `The requests under way have bodies of ${megabytes(held)}; the limit is ${megabytes(limit)}. Send this request again when they are done.`;
      return done(new PasskeyError('overloaded', message), payload);
    }
    held += bytes;
    reply.raw.once('close', () => {
      held -= bytes;
    });
    done(null, payload);
  });
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;

/** Adds the position in the request body to a JSON syntax error. Returns any other error unchanged. */
function located(text: string, cause: Error): Error {
  const wrong = locateJsonError(text);
  if (wrong === undefined) return cause;
  const { line, column, expected, received } = wrong;
  const message = `Expected a body that is valid JSON (RFC 8259): at line ${line}, column ${column}, expected ${expected}, received ${received}.${describeUrlEncoded(text)}`;
  return new PasskeyError('malformed_json', message, { cause });
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reads the content coding from `Content-Encoding` (RFC 9110 §8.4). Undefined for `identity`, which means no coding. */
function contentCoding({ 'content-encoding': coding = '' }: IncomingHttpHeaders): string | undefined {
  return /^(identity)?$/i.test(coding.trim()) ? undefined : coding;
}
