import { isObject, type JsonObject } from '../../kernel/json-value.js';
import { withoutNulls } from '../json.js';

/**
 * Differences between the page's requests and the server's defaults. Stored in the fragment of the URL, which makes them shareable but is
 * not sent to any server.
 */
export interface Setup {
  /** Members that replace those of the creation options. */
  readonly registration: JsonObject;
  /** Members that replace those of the request options. */
  readonly authentication: JsonObject;
  /** Name of the application to send as `app_name`; empty for this page's own name. Likewise, `appUrl` is sent as `app_url`. */
  readonly appName: string;
  readonly appUrl: string;
  /** True if the browser's autofill offers passkeys. */
  readonly autofill: boolean;
}

export const PLAIN_SETUP: Setup = { registration: {}, authentication: {}, appName: '', appUrl: '', autofill: false };

/** Writes the setup as a fragment without `#`; empty for the default setup. */
export function setupToFragment(setup: Setup): string {
  const parameters = new URLSearchParams();
  for (const dictionary of ['registration', 'authentication'] as const) {
    if (Object.keys(setup[dictionary]).length > 0) {
      parameters.set(dictionary, JSON.stringify(setup[dictionary]));
    }
  }
  if (setup.appName !== '') parameters.set('app_name', setup.appName);
  if (setup.appUrl !== '') parameters.set('app_url', setup.appUrl);
  if (setup.autofill) parameters.set('autofill', 'on');
  return parameters.toString();
}

/** Reads a fragment, with or without `#`. Leaves out options that cannot be read and lists them in `problems`. */
export function setupFromFragment(fragment: string): { readonly setup: Setup; readonly problems: readonly string[] } {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
  const problems: string[] = [];
  const dictionary = (name: string): JsonObject => {
    const text = parameters.get(name);
    const parsed = text === null ? { value: {} } : parseDictionary(text);
    if ('problem' in parsed) {
      problems.push(`The address has ${name} options that cannot be read: ${parsed.problem}`);
      return {};
    }
    return parsed.value;
  };
  const setup = {
    registration: dictionary('registration'),
    authentication: dictionary('authentication'),
    appName: parameters.get('app_name') ?? '',
    appUrl: parameters.get('app_url') ?? '',
    autofill: parameters.get('autofill') === 'on',
  };
  return { setup, problems };
}

/** Reads the text of the JSON editor. Blank text counts as `{}`. */
export function parseDictionary(text: string): { readonly value: JsonObject } | { readonly problem: string } {
  if (text.trim() === '') return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value } : { problem: 'Expected a JSON object, such as { "attestation": "direct" }.' };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Completes the creation options to send. The server replaces whole members, so that changing one entry of `authenticatorSelection` would
 * drop its other entries; this function fills in those entries. Leaves out entries that are null, which means that the user has removed
 * them.
 */
export function withGivenSelection(
  changed: JsonObject,
  { residentKey, userVerification }: { readonly residentKey: string | undefined; readonly userVerification: string | undefined },
): JsonObject {
  const selection = changed['authenticatorSelection'];
  return isObject(selection)
    ? { ...changed, authenticatorSelection: withoutNulls({ residentKey, userVerification, ...selection }) }
    : changed;
}
