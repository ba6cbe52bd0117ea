import { dirname, relative, resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { readNamedFile, UnusableFile } from '../../fixture/named-file.js';
import { schemaErrors } from '../../fixture/schema-errors.js';
import { locateJsonError, locateValue, splitPointer } from '../../kernel/json-location.js';
import { asObject, countValues, isWithinDepth, MAX_JSON_LEVELS } from '../../kernel/json-value.js';
import { didYouMean } from '../../kernel/nearest.js';
import { remember } from '../../kernel/remember.js';
import { BUILT_IN_PROFILES, builtInProfile } from './built-in.js';
import { checkProfile, profileError } from './compile-profile.js';
import { namePlace } from './place.js';
import { type Measured, toCapabilities } from './probe-report.js';
import { type TargetProfile, targetProfileSchema } from './profile-schema.js';

const MAX_PROFILE_BYTES = 1024 * 1024;
/** Maximum number of keys and list elements in a profile. */
const MAX_PROFILE_VALUES = 10_000;

const FORMAT: TargetProfile['format'] = 'passkey-target-profile';

/** A profile that has been read and checked, with the positions of its parts for messages. */
export interface ReadProfile {
  readonly profile: TargetProfile;
  /** Path of the profile relative to the working directory, with slashes; undefined for a built-in profile. */
  readonly file?: string;
  /** Names the position to which a JSON Pointer points, for messages: `shop.yaml:12:5 (register, POST /register)`. */
  readonly where: (pointer: string) => string;
}

/** A parsed JSON or YAML document with the positions of its parts for messages. */
interface Parsed {
  readonly document: unknown;
  position(pointer: string): { readonly line: number; readonly column: number } | undefined;
}

/**
 * Reads a profile and checks it completely.
 *
 * @param name name of a built-in profile, or the path of a JSON or YAML file, relative to `cwd`.
 * @throws PasskeyError `usage` if there is no such profile or file; `configuration_invalid` with every mistake in it, its position and what
 * was expected.
 */
export async function readProfile(name: string, cwd: string): Promise<ReadProfile> {
  const builtIn = await builtInProfile(name);
  if (builtIn !== undefined) return checkDocument({ document: builtIn, position: () => undefined }, name);
  const bytes = await readNamedFile(resolve(cwd, name), MAX_PROFILE_BYTES).catch((cause: unknown) => {
    if (!(cause instanceof UnusableFile)) throw cause;
    const expected = `Expected the name of a profile (${BUILT_IN_PROFILES.join(', ')}) or the path of a profile file`;
    throw new PasskeyError('usage', `${expected}; ${name} ${cause.message}${didYouMean(name, BUILT_IN_PROFILES)}.`, { cause });
  });
  const file = relative(cwd, resolve(cwd, name)).replaceAll('\\', '/');
  return { ...(await parseProfile(bytes.toString('utf8'), name)), file };
}

/**
 * Parses the text of a profile: as YAML if its file name ends in `.yaml` or `.yml`, otherwise as JSON.
 *
 * @throws PasskeyError `configuration_invalid` as `readProfile` does.
 */
export async function parseProfile(text: string, name: string): Promise<ReadProfile> {
  const source = text.replace(/^\uFEFF/, '');
  return checkDocument(/\.ya?ml$/i.test(name) ? await parseYaml(source, name) : parseJson(source, name), name);
}

/** Checks whether a file is meant to be a profile, even if the profile has mistakes. */
export async function isProfile(name: string, cwd: string): Promise<boolean> {
  try {
    const text = (await readNamedFile(resolve(cwd, name), MAX_PROFILE_BYTES)).toString('utf8').replace(/^\uFEFF/, '');
    const { document } = /\.ya?ml$/i.test(name) ? await parseYaml(text, name) : parseJson(text, name);
    return asObject(document)['format'] === FORMAT;
  } catch {
    return false;
  }
}

function checkDocument({ document, position }: Parsed, name: string): ReadProfile {
  // Each request that is sent asks for its place.
  const where = remember((pointer: string): string => {
    const found = position(pointer);
    return `${found === undefined ? name : `${name}:${found.line}:${found.column}`} (${namePlace(document, pointer)})`;
  });
  if (!isWithinDepth(document, MAX_JSON_LEVELS)) throw notA(name, `at most ${MAX_JSON_LEVELS} levels of objects and lists; got more`);
  if (countValues(document, MAX_PROFILE_VALUES) > MAX_PROFILE_VALUES) throw notA(name, `at most ${MAX_PROFILE_VALUES} keys; got more`);
  const errors = schemaErrors(targetProfileSchema, document);
  if (errors.length > 0) {
    const mistakes = errors.map(({ pointer, expected, received }) => ({ pointer, detail: `Expected ${expected}; got ${received}.` }));
    throw profileError(name, mistakes, where);
  }
  // Its schema has just been checked.
  const profile = document as TargetProfile;
  checkProfile(profile, where);
  return { profile, where };
}

const notA = (place: string, detail: string, cause?: unknown): PasskeyError =>
  new PasskeyError('configuration_invalid', `${place}: expected ${detail}.`, { cause });

function parseJson(text: string, name: string): Parsed {
  try {
    const document: unknown = JSON.parse(text);
    return { document, position: (pointer) => locateValue(text, pointer) };
  } catch (cause) {
    const found = locateJsonError(text);
    if (found === undefined) throw cause;
    throw notA(`${name}:${found.line}:${found.column}`, `${found.expected}; got ${found.received}`, cause);
  }
}

async function parseYaml(text: string, name: string): Promise<Parsed> {
  // A bundled CommonJS module has its exports in `default` only.
  const { isNode, LineCounter, parseDocument } = (await import('yaml')).default;
  const lineCounter = new LineCounter();
  const yaml = parseDocument(text, { lineCounter, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };
  const [error] = yaml.errors;
  if (error !== undefined) {
    const { line, column } = at(error.pos[0]);
    throw notA(`${name}:${line}:${column}`, `YAML; the parser says "${error.message}"`, error);
  }
  const position = (pointer: string) => {
    for (let tokens = splitPointer(pointer); ; tokens = tokens.slice(0, -1)) {
      const node = tokens.length === 0 ? yaml.contents : yaml.getIn(tokens, true);
      if (isNode(node) && node.range) return at(node.range[0]);
      if (tokens.length === 0) return undefined;
    }
  };
  try {
    const document: unknown = yaml.toJS();
    return { document, position };
  } catch (cause) {
    throw notA(name, 'YAML with few aliases, each after its anchor', cause);
  }
}

/** Path of the profile schema in a project that has installed the package. */
const SCHEMA = 'node_modules/passkey-cli/dist/schemas/passkey-target-profile.schema.json';

/** Example gates (states in which a user cannot sign in), written to a new profile as YAML comments for its author to fill in. */
const GATES_TO_FILL_IN = `
# States in which a user cannot sign in, each with the steps that set and lift it: requests as an administrator makes them, or commands.
# A command with SQL must report how many rows it changed: none is a mistake. "stops" lists what a state blocks besides a login.
# gates:
#   locked:
#     set:
#       - exec: [sqlite3, app.db, "UPDATE users SET locked = 1 WHERE email = '{user.email}' RETURNING 1"]
#         accept: { status: 0, text: "1" }
#     lift:
#       - exec: [sqlite3, app.db, "UPDATE users SET locked = 0 WHERE email = '{user.email}' RETURNING 1"]
#         accept: { status: 0, text: "1" }
#   disabled:
#     set:
#       - request: POST /admin/users/disable
#         headers: { authorization: "Bearer {env.ADMIN_TOKEN}" }
#         json: { email: "{user.email}" }
#     lift:
#       - request: POST /admin/users/enable
#         headers: { authorization: "Bearer {env.ADMIN_TOKEN}" }
#         json: { email: "{user.email}" }
#     stops: [sessions, registration, recovery]
#   unverified:
#     set:
#       - exec: [psql, app, -qtAc, "UPDATE users SET verified_at = NULL WHERE email = '{user.email}' RETURNING 1"]
#         accept: { status: 0, text: "1" }
#     lift:
#       - exec: [psql, app, -qtAc, "UPDATE users SET verified_at = now() WHERE email = '{user.email}' RETURNING 1"]
#         accept: { status: 0, text: "1" }
`;

/**
 * Writes the contents of a profile file in the project's folder: YAML if its name ends in `.yaml` or `.yml`, otherwise JSON. The contents
 * refer to the profile schema so that editors find it; in YAML, a comment does that.
 *
 * @param commented the profile as YAML with comments to keep.
 * @throws PasskeyError `configuration_invalid` for a profile that could not be read again.
 */
export async function writeProfile(
  profile: TargetProfile,
  name: string,
  { commented }: { readonly commented?: string } = {},
): Promise<string> {
  const $schema = relative(dirname(resolve(name)), resolve(SCHEMA))
    .replaceAll('\\', '/')
    .replace(/^(?!\.)/, './');
  const { $schema: _, ...document } = profile;
  const text = /\.ya?ml$/i.test(name)
    ? `# yaml-language-server: $schema=${$schema}\n${commented ?? (await import('yaml')).default.stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}${profile.gates === undefined ? GATES_TO_FILL_IN : ''}`
    : `${JSON.stringify({ $schema, ...document }, null, 2)}\n`;
  await parseProfile(text, name);
  return text;
}

/**
 * Adds measured members of `has` to the contents of a profile file. A member with contradictory evidence keeps its value. In a YAML file,
 * everything else stays unchanged, and the evidence is added as comments.
 */
export async function writeCapabilities(text: string, name: string, measured: readonly Measured[]): Promise<string> {
  const members = measured.filter(({ value }) => value !== undefined);
  if (!/\.ya?ml$/i.test(name)) {
    const profile = asObject(JSON.parse(text.replace(/^\uFEFF/, '')));
    return `${JSON.stringify({ ...profile, has: { ...asObject(profile['has']), ...toCapabilities(members) } }, null, 2)}\n`;
  }
  const { isMap, parseDocument } = (await import('yaml')).default;
  const yaml = parseDocument(text);
  for (const { member, value, evidence } of members) {
    const node = yaml.createNode(value, { flow: true });
    node.comment = ` ${evidence}`;
    yaml.setIn(['has', member], node);
  }
  const has = yaml.get('has');
  if (isMap(has)) has.flow = false;
  return yaml.toString({ lineWidth: 0 });
}
