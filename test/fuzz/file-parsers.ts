import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pc from 'picocolors';
import { Errors } from 'typebox/value';
import { resolveServeSettings } from '../../src/cli/config/resolve.js';
import { SERVE_SETTINGS } from '../../src/cli/config/settings.js';
import { renderExplanation } from '../../src/cli/explain/explanation.js';
import { printableLines } from '../../src/cli/output/printable.js';
import { schemas } from '../../src/cli/schemas.js';
import { PasskeyError } from '../../src/errors.js';
import { writeDocuments } from '../../src/explain/document.js';
import { explanation } from '../../src/explain/document-schema.js';
import { readExpectations } from '../../src/explain/expectations.js';
import { explainInput } from '../../src/explain/explain.js';
import { parseFixture } from '../../src/fixture/read.js';
import { serializeFixture } from '../../src/fixture/write.js';
import { isObject } from '../../src/kernel/json-value.js';
import { takeFileText } from '../../src/store/contents.js';
import { FileDamage, NewerVersion } from '../../src/store/file-damage.js';
import { FileSizeLimit } from '../../src/store/file-size.js';
import { openJsonFileStore } from '../../src/store/json-file.js';
import { LogFile, UnreleasedFormat } from '../../src/store/log-file.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { fakeIo } from '../cli/fake-io.js';
import { runIn } from '../cli/run-in.js';
import { newOwner, START } from '../contract/samples.js';
import { archiveOf, corpus } from './corpus.js';
import { ODD_VALUES } from './json-tree.js';
import { makeJson } from './makers.js';
import { mutateBytes } from './mutate-bytes.js';
import { BrokenProperty, hold, type Parser, reading, refusal } from './parser.js';
import type { Random } from './random.js';
import { storeLines } from './store-rows.js';
import { makeAnything } from './text-parsers.js';

let folder: string | undefined;

/** One file at a time is written there. */
function inFolder(name: string): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'passkey-fuzz-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return join(folder, name);
}

const fixture: Parser = {
  name: 'fixture',
  make: (random) => makeJson(random, corpus().fixtures),
  read: (bytes) =>
    reading(() => {
      const text = serializeFixture(parseFixture(new TextDecoder().decode(bytes), 'f'));
      hold(serializeFixture(parseFixture(text, 'f')) === text, 'a fixture is written as it is read');
      return 'read';
    }),
};

/** What `explain` is told of a ceremony: nothing, everything, or what does not fit. */
const EXPECTATIONS = [
  {},
  { rpId: 'localhost', origin: 'http://localhost:7277', challenge: encodeBase64url(new Uint8Array(32)) },
  { rpId: 'example.org', origin: ['https://example.org'], challenge: 'AAAA', signCount: 5, requireUserVerification: true },
];

const explain: Parser = {
  name: 'explain',
  make: (random) =>
    random.oneIn(3)
      ? makeJson(random, [archiveOf([random.pick(corpus().fixtures), random.pick(corpus().fixtures)])])
      : makeAnything(random),
  async read(bytes) {
    try {
      const settings = readExpectations(EXPECTATIONS[bytes.length % EXPECTATIONS.length] ?? {}, () => START);
      const explained = await explainInput({ name: 'f', bytes }, settings, START);
      for (const document of writeDocuments('f', explained)) {
        const [wrong] = Errors(explanation, document);
        hold(wrong === undefined, `the document fits its schema: ${JSON.stringify(wrong)}`);
      }
      const text = [...renderExplanation(explained, false, { width: 80, paint: pc.createColors(false) })].join('');
      hold(printableLines(text) === text, 'nothing reaches the terminal that acts on it');
      const [first] = explained.ceremonies;
      if (first === undefined) return explained.unreadable === undefined ? 'without a ceremony' : 'unreadable';
      return first.outcome instanceof PasskeyError ? refusal(first.outcome) : first.outcome.verdict;
    } catch (error) {
      if (error instanceof BrokenProperty) throw error;
      return refusal(error);
    }
  },
};

const explainCommand: Parser = {
  name: 'explain-command',
  make: (random) => {
    const inputs = Array.from({ length: 1 + random.below(3) }, () => makeAnything(random));
    const bytes = Buffer.concat(inputs.flatMap((input) => [input, Buffer.from(random.pick(['', '\n', '\n\n']))]));
    return new Uint8Array(bytes);
  },
  async read(bytes) {
    const name = bytes.length % 2 === 0 ? 'f.jsonl' : 'f.json';
    await writeFile(inFolder(name), bytes);
    const { code, stdout, stderr } = await runIn(inFolder(''), ['explain', '--json', name]);
    hold([0, 1, 2].includes(code), `exit code ${code}`);
    hold(!/unexpected error|\n\s+at /.test(stderr), `no stack is printed: ${stderr.slice(0, 400)}`);
    for (const line of stdout.startsWith('{\n') ? [stdout] : stdout.split('\n').filter((each) => each !== '')) {
      const [wrong] = Errors(explanation, JSON.parse(line));
      hold(wrong === undefined, `the line fits its schema: ${JSON.stringify(wrong)}`);
      hold(!line.includes('internal_error'), `the input is refused by name: ${line.slice(0, 400)}`);
    }
    return `exit ${code}`;
  },
};

function configuration(random: Random): unknown {
  const values = [8080, '8080', 'localhost', true, false, 'off', '30d', ['https://example.org'], 'ES256,RS256', ...ODD_VALUES];
  const keys = Array.from({ length: random.below(3) }, () => random.pick(Object.keys(SERVE_SETTINGS)));
  return Object.fromEntries(keys.map((key) => [key, random.pick(values)]));
}

const config: Parser = {
  name: 'configuration',
  make: (random) => {
    const document = configuration(random);
    return random.oneIn(2) ? new Uint8Array(Buffer.from(JSON.stringify(document))) : makeJson(random, [document]);
  },
  async read(bytes) {
    // Under another name: the commands that other parsers run in this folder have no configuration.
    await writeFile(inFolder('c.json'), bytes);
    try {
      const { io } = fakeIo({ cwd: inFolder('') });
      const settings = await resolveServeSettings(io, { config: 'c.json' });
      hold(Number.isInteger(settings.port) && settings.bodyLimit > 0, 'every setting has a value of its kind');
      return 'read';
    } catch (error) {
      if (error instanceof BrokenProperty) throw error;
      const code = refusal(error);
      hold(code === 'configuration_invalid', `a configuration file is refused as one, not as ${code}`);
      return code;
    }
  },
};

/** A store some lines of which are changed, missing, or there twice. */
function makeStore(random: Random): Uint8Array {
  const lines = storeLines(random).flatMap((line) => {
    const text = random.oneIn(8) ? Buffer.from(makeJson(random, [line])).toString() : JSON.stringify(line);
    return random.oneIn(40) ? [] : random.oneIn(40) ? [text, text] : [text];
  });
  const bytes = new Uint8Array(Buffer.from(`${lines.join('\n')}${random.oneIn(8) ? '' : '\n'}`));
  return random.oneIn(5) ? mutateBytes(bytes, random, bytes) : bytes;
}

function readStore(path: string): string {
  const file = LogFile.open(path, new FileSizeLimit(path, {}));
  file.close();
  return [...takeFileText(file.contents)].join('');
}

const storeFile: Parser = {
  name: 'store-file',
  make: makeStore,
  read: (bytes) =>
    reading(
      () => {
        const path = inFolder('store.jsonl');
        writeFileSync(path, bytes);
        const text = readStore(path);
        writeFileSync(path, text);
        hold(readStore(path) === text, 'a store is written as it is read');
        return 'read';
      },
      (error) => {
        if (error instanceof NewerVersion) return 'newer version';
        if (error instanceof UnreleasedFormat) return 'unreleased format';
        if (error instanceof FileDamage) return 'damaged';
        throw error;
      },
    ),
};

/** The same through the adapter: a damaged file is refused and left alone, a good one can be changed. */
const storeOpened: Parser = {
  name: 'store-opened',
  make: makeStore,
  async read(bytes) {
    const path = inFolder('passkeys.jsonl');
    await writeFile(path, bytes);
    try {
      const store = await openJsonFileStore(path);
      const { id } = await store.insertOwner(newOwner({ type: 'Fuzz', email: 'new@fuzz.example' }));
      await store.close();
      const again = await openJsonFileStore(path);
      hold((await again.findOwner({ type: 'Fuzz', id })) !== undefined, 'what was acknowledged is there');
      await again.close();
      return 'changed';
    } catch (error) {
      if (error instanceof BrokenProperty) throw error;
      const code = refusal(error);
      hold(Buffer.from(bytes).equals(await readFile(path)), 'a store that is refused is not touched');
      return code;
    }
  },
};

const NAMES = ['list', 'show', 'user-list'] as const;
const COMMANDS = [['list'], ['show', '1'], ['user', 'list']] as const;

/** Commands that read: what they print fits its schema, whatever the store holds. */
const storeCommands: Parser = {
  name: 'store-commands',
  make: makeStore,
  async read(bytes) {
    await writeFile(inFolder('read.jsonl'), bytes);
    const which = bytes.length % COMMANDS.length;
    const { code, stdout, stderr } = await runIn(inFolder(''), [...(COMMANDS[which] ?? []), '--json', '--store', inFolder('read.jsonl')]);
    hold([0, 1, 3].includes(code), `exit code ${code}`);
    hold(!/unexpected error|\n\s+at /.test(stderr), `no stack is printed: ${stderr.slice(0, 400)}`);
    const schema = schemas[NAMES[which] ?? ''];
    if (code === 0 && schema !== undefined) {
      const document: unknown = JSON.parse(stdout);
      const [wrong] = Errors(schema, document);
      hold(wrong === undefined && (Array.isArray(document) || isObject(document)), `it fits its schema: ${JSON.stringify(wrong)}`);
    }
    return `exit ${code}`;
  },
};

export const FILE_PARSERS: readonly Parser[] = [fixture, explain, explainCommand, config, storeFile, storeOpened, storeCommands];
