import { PasskeyError } from '../../errors.js';
import { type FoundJson, KIND_NAMES, recogniseJson } from '../../explain/annotate/kinds.js';
import { locateJsonError } from '../../kernel/json-location.js';
import { isObject, isWithinDepth, MAX_JSON_LEVELS } from '../../kernel/json-value.js';
import { clause } from '../../kernel/wording.js';
import { type ReadOptions, readCreation, readRequest } from '../../simulate/target/options.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';

/** Options of one ceremony, and remarks on everything in them that a page had to convert. */
export type FoundOptions = { readonly remarks: readonly string[] } & (
  | { readonly ceremony: 'registration'; readonly options: PublicKeyCredentialCreationOptionsJSON }
  | { readonly ceremony: 'authentication'; readonly options: PublicKeyCredentialRequestOptionsJSON }
);

/** @throws PasskeyError `malformed_json` with the place of the first wrong character. */
export function parseDocument(text: string, name: string): unknown {
  const plain = text.replace(/^\ufeff/, '');
  if (plain.trim() === '') {
    throw new PasskeyError('malformed_json', `${name} is empty. Give the options that your server sends to the browser, as JSON.`);
  }
  try {
    const document: unknown = JSON.parse(plain);
    return document;
  } catch (cause) {
    const wrong = locateJsonError(plain);
    const at =
      wrong === undefined ? '' : `: line ${wrong.line}, column ${wrong.column} has ${wrong.received} where ${wrong.expected} is expected`;
    throw new PasskeyError('malformed_json', `${name} is not JSON${at}. Give the options that your server sends to the browser, as JSON.`, {
      cause,
    });
  }
}

/**
 * The creation or request options in the answer of a server: the document itself, its `publicKey`, or an object further inside, even one
 * that is JSON in a text. Converts whatever pages and browsers convert, with a remark for each.
 *
 * @param name what messages call the document.
 * @throws PasskeyError `validation_failed` for a document without options, and for options that no browser reads.
 */
export function findOptions(document: unknown, name: string): FoundOptions {
  if (!isWithinDepth(document, MAX_JSON_LEVELS)) {
    throw new PasskeyError('validation_failed', `${name} is nested deeper than ${MAX_JSON_LEVELS} levels, as no options are.`);
  }
  const found = recogniseJson(document) ?? bare(document);
  if (found?.kind !== 'creation-options' && found?.kind !== 'request-options') {
    const got = found === undefined ? 'neither' : `a ${KIND_NAMES[found.kind]}`;
    throw new PasskeyError(
      'validation_failed',
      `${name}: Expected creation options (challenge, rp, user, pubKeyCredParams) or request options (challenge, rpId, allowCredentials); got ${got}. Give what your server sends to the browser.`,
    );
  }
  const { json, pointer } = found;
  const remarks = pointer === '' || pointer === '/publicKey' ? [] : [`The options are at ${pointer}.`];
  if (found.kind === 'creation-options') {
    return { ceremony: 'registration', options: usable(readCreation(json), name, remarks), remarks };
  }
  return { ceremony: 'authentication', options: usable(readRequest(json), name, remarks), remarks };
}

/** Adds its remarks to the others. */
function usable<Options>(read: ReadOptions<Options>, name: string, remarks: string[]): Options {
  remarks.push(...read.remarks);
  if ('options' in read) return read.options;
  const advice = 'A browser would not read these options either; correct them in your server.';
  throw new PasskeyError('validation_failed', `${name}: ${clause(read.problem)}. ${advice}`);
}

/** Request options need nothing but a challenge, however short. */
function bare(document: unknown): FoundJson | undefined {
  const inner = isObject(document) && isObject(document['publicKey']) ? document['publicKey'] : document;
  return isObject(inner) && 'challenge' in inner ? { kind: 'request-options', json: inner, pointer: '' } : undefined;
}
