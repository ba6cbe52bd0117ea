import { PasskeyError } from '../../errors.js';
import { type FoundJson, KIND_NAMES, recogniseJson } from '../../explain/annotate/kinds.js';
import { locateJsonError } from '../../kernel/json-location.js';
import { isObject, isWithinDepth, MAX_JSON_LEVELS } from '../../kernel/json-value.js';
import { clause } from '../../kernel/wording.js';
import { type ReadOptions, readCreation, readRequest } from '../../simulate/target/options.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';

/** The options of one ceremony, with a remark for each member that a page would have to convert before the call. */
export type FoundOptions = { readonly remarks: readonly string[] } & (
  | { readonly ceremony: 'registration'; readonly options: PublicKeyCredentialCreationOptionsJSON }
  | { readonly ceremony: 'authentication'; readonly options: PublicKeyCredentialRequestOptionsJSON }
);

/**
 * Parses JSON. @throws PasskeyError `malformed_json` with the position of the first wrong character.
 * @param name name of the document in the error message.
 */
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
 * Finds the creation or request options in a server's response. They may be the whole document, its member `publicKey`, an object nested
 * deeper, or an object inside a JSON string. Converts the members that pages and browsers convert, and adds a remark for each conversion.
 *
 * @param name name of the document in messages.
 * @throws PasskeyError `validation_failed` for a document without options, and for options that no browser can read.
 */
export function findOptions(document: unknown, name: string): FoundOptions {
  if (!isWithinDepth(document, MAX_JSON_LEVELS)) {
    throw new PasskeyError('validation_failed', `${name} is nested deeper than ${MAX_JSON_LEVELS} levels, which no valid options are.`);
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

/**
 * Returns options that browsers can read, and appends the remarks about them to `remarks`. Throws if a browser could not read the options.
 */
function usable<Options>(read: ReadOptions<Options>, name: string, remarks: string[]): Options {
  remarks.push(...read.remarks);
  if ('options' in read) return read.options;
  const advice = 'A browser would not read these options either; correct them in your server.';
  throw new PasskeyError('validation_failed', `${name}: ${clause(read.problem)}. ${advice}`);
}

/** Recognises request options that consist of a challenge only, even if the challenge is short. */
function bare(document: unknown): FoundJson | undefined {
  const inner = isObject(document) && isObject(document['publicKey']) ? document['publicKey'] : document;
  return isObject(inner) && 'challenge' in inner ? { kind: 'request-options', json: inner, pointer: '' } : undefined;
}
