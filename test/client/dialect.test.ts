import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.js';
import { readCreationOptions, readRequestOptions } from '../../src/client/options.js';
import { createReading, type Remark } from '../../src/client/reading.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { quick, share } from '../thorough.js';
import { registered, setUp } from './ceremony.js';
import { CREATION, type Dialect, memberAt, type Outcome, PAGE, replaced, requestFor } from './dialect.js';

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'chromium-dialect.json'), 'utf8')) as Dialect;

/** As JSON.parse gives it. */
const untyped = <T>(value: unknown): T => value as T;
const nameOf = (error: unknown) => (error instanceof Error ? error.name : String(error));

/** How the ceremony ends here, which differs from the recording in one case. */
function endOf(path: string, { refused, failed, read }: Outcome): string | undefined {
  // Chromium's virtual authenticator takes an empty user handle; the standard requires 1 to 64 bytes.
  if (path === 'user.id' && read === '') return 'TypeError';
  return refused ?? failed;
}

interface Case {
  readonly path: string;
  readonly value: string;
  readonly outcome: Outcome;
}

const casesOf = (table: Dialect['creation']): Case[] =>
  Object.entries(table).flatMap(([path, outcomes]) =>
    outcomes.flatMap((outcome) => outcome.values.split(' ').map((value) => ({ path, value, outcome }))),
  );
/** Members that the client reads to a value of its own, such as a default for an unknown word. */
const isKept = (path: string) => /^(rp|user)\.(id|name|displayName)$|^rpId$|^challenge$|^timeout$|\.(alg|id)$|\.transports$/.test(path);
/** The client takes no transports for an empty list. */
const plain = (value: unknown) =>
  value instanceof Uint8Array ? encodeBase64url(value) : Array.isArray(value) && value.length === 0 ? undefined : value;

describe(`what ${recorded.browser} does, the client does`, () => {
  const page = () => createClient({ authenticator: setUp().authenticator, origin: PAGE });
  const reading = createReading('browser', () => undefined);

  quick('the recording is of every member', () => {
    expect(casesOf(recorded.creation).length).toBeGreaterThan(800);
    expect(casesOf(recorded.request).length).toBeGreaterThan(300);
  });

  const client = page();
  test.each(share(casesOf(recorded.creation), 3))('create: $path is $value', async ({ path, value, outcome }) => {
    const options = replaced(CREATION, path, value);
    const empty = path === 'user.id' && outcome.read === '';
    if (outcome.refused === undefined && isKept(path) && !empty) {
      expect(plain(memberAt(readCreationOptions(options, reading), path))).toEqual(plain(outcome.read));
    }
    const ended = await client.create({ publicKey: untyped(options) }).then(() => undefined, nameOf);
    expect(ended).toBe(endOf(path, outcome));
  });

  // Of its own: the ceremonies above replace one another's credentials.
  const other = page();
  let id: string;
  beforeAll(async () => {
    id = (await other.create({ publicKey: untyped(CREATION) })).id;
  });
  test.each(share(casesOf(recorded.request), 3))('get: $path is $value', async ({ path, value, outcome }) => {
    const options = replaced(requestFor(id), path, value);
    if (outcome.refused === undefined && isKept(path)) {
      expect(plain(memberAt(readRequestOptions(options, reading), path))).toEqual(plain(outcome.read));
    }
    const ended = await other.get({ publicKey: untyped(options) }).then(() => undefined, nameOf);
    expect(ended).toBe(endOf(path, outcome));
  });
});

describe('remarks', () => {
  async function remarksOn(change: (options: typeof CREATION) => unknown): Promise<readonly Remark[]> {
    const remarks: Remark[] = [];
    const { authenticator } = await registered();
    const client = createClient({ authenticator, origin: PAGE, onRemark: (remark) => remarks.push(remark) });
    await client.create({ publicKey: untyped(change(structuredClone(CREATION))) });
    return remarks;
  }

  quick('there are none on what the standard says', async () => {
    expect(await remarksOn((options) => options)).toEqual([]);
  });

  quick.each([
    ['timeout', '"60000"', 'Expected a number; got string "60000". Chromium reads it as 60000.'],
    ['timeout', '1.5', 'Expected a number; got number 1.5. Chromium reads it as 1.'],
    ['rp.name', 'null', 'Expected a string; got null. Chromium reads it as "null".'],
    ['extensions.credProps', '"true"', 'Expected a boolean; got string "true". Chromium reads it as true.'],
    ['pubKeyCredParams.0.alg', '"-7"', 'Expected a whole number; got string "-7". Chromium reads it as -7.'],
    ['hints', '[null]', 'Expected an array of strings; got an array. Chromium reads it as ["null"].'],
    ['challenge', '"AB"', 'Expected base64url; its last character has unused bits that are not 0. Chromium ignores them.'],
    ['extensions', 'null', 'Expected an object; got null. Chromium reads it as an object without members.'],
    ['attestationFormats', '"none"', 'Expected an array of strings; got string "none". Chromium ignores this member.'],
  ])('%s is %s', async (path, value, message) => {
    const member = `publicKey.${path.replace('.0.', '[0].')}`;
    expect(await remarksOn((options) => replaced(options, path, value))).toEqual([{ member, message }]);
  });
});
