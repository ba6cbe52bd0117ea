#!/usr/bin/env node
'use strict';
// CommonJS, which Node starts sooner than ES modules.
const fs = require('node:fs');
const { basename, dirname, join } = require('node:path');

const { constants, existsSync, fstatSync, readFileSync, writeSync } = fs;

const built = join(__dirname, '../dist/cli');

/** What the build has written down for a command line: the version and the help of each command. Undefined for any other. */
function writtenAnswer(words) {
  const [first, ...rest] = words.map((word) => ({ '-h': '--help', '-V': '--version' })[word] ?? word);
  const name = [first, ...rest].join(' ');
  if (!/^(?:[a-z-]+ )*--help$|^--version$/.test(name)) return undefined;
  try {
    return readFileSync(join(built, 'answers', `${name}.txt`));
  } catch {
    return undefined;
  }
}

/** Help is written down for eighty columns, which is what it has where it is not shown on a terminal. */
const fits = () => !fstatSync(1).isCharacterDevice() || (process.stdout.columns ?? 80) === 80;

/** Whether the answer was written, all of it. Reports nothing: the command line itself does. */
function isAnswered(words) {
  const text = writtenAnswer(words);
  try {
    if (text === undefined || !fits()) return false;
    for (let written = 0; written < text.length; ) written += writeSync(1, text, written);
    return true;
  } catch {
    return false;
  }
}

/** A module of the command line begins with a mark of its text as it was built: V8 itself compares only how long a text is. */
const MARK = /^\/\*([\w-]{16})\*\//;

/**
 * What Node 20 lacks of `enableCompileCache`: keeps what V8 has compiled of the command line beside it, for this version of Node alone, with
 * the functions that the command called. A command that is new to it adds its own. Where the package belongs to somebody else, or cannot be
 * written to, what is there is used, and nothing is kept.
 */
function keepCompiled(command) {
  const Module = require('node:module');
  const { Script } = require('node:vm');
  const folder = join(built, 'compiled', `${process.version}-${process.platform}-${process.arch}`);
  const loaded = [];

  const { _compile: compile } = Module.prototype;
  Module.prototype._compile = function compileKept(text, filename) {
    const mark = dirname(filename) === built ? MARK.exec(text)?.[1] : undefined;
    if (mark === undefined) return compile.call(this, text, filename);
    const path = join(folder, `${basename(filename)}.bin`);
    // Somebody may have edited it since.
    const of = `${mark}.${fs.statSync(filename).mtimeMs}`;
    const kept = readKept(path, of);
    const script = new Script(Module.wrap(text), {
      filename,
      cachedData: kept?.data,
      columnOffset: -Module.wrapper[0].length,
    });
    loaded.push({ path, script, of, commands: kept === undefined || script.cachedDataRejected ? [] : kept.commands });
    const whole = script.runInThisContext();
    return whole.call(this.exports, this.exports, (id) => this.require(id), this, filename, dirname(filename));
  };

  /**
   * Data, twice, what they are of and the commands whose functions are in them, and in four bytes how long these words are. V8 runs, or
   * never ends, whatever data are as long as they say; to compare two copies takes less than to load what Node has for checksums.
   */
  function readKept(path, wanted) {
    try {
      const file = readOwn(path);
      const end = file.length - 4;
      const words = end - file.readUInt32LE(end);
      const data = file.subarray(0, words / 2);
      if (!data.equals(file.subarray(words / 2, words))) return undefined;
      const [of, ...commands] = file.toString('utf8', words, end).split(' ');
      return of === wanted ? { data, commands } : undefined;
    } catch {
      return undefined;
    }
  }

  /** It is code: throws where somebody can have written it who cannot write to the command line itself. */
  function readOwn(path) {
    const file = fs.openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const { uid, mode } = fstatSync(file);
      if (process.getuid && (uid !== fs.statSync(built).uid || (mode & 0o022) !== 0)) throw new Error('not of the owner of the package');
      return readFileSync(file);
    } finally {
      fs.closeSync(file);
    }
  }

  function write({ path, script, of, commands }) {
    const words = Buffer.from([of, ...commands, command].join(' '));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(words.length);
    const data = script.createCachedData();
    const file = Buffer.concat([data, data, words, length]);
    const temporary = `${path}.${process.pid}.tmp`;
    try {
      fs.writeFileSync(temporary, file, { flag: 'wx', flush: true, mode: 0o644 });
      fs.renameSync(temporary, path);
    } catch (error) {
      if (error.code !== 'EEXIST') fs.rmSync(temporary, { force: true });
      throw error;
    }
  }

  process.on('exit', () => {
    try {
      const fresh = loaded.filter(({ commands }) => !commands.includes(command));
      // Neither words that are no command, nor files of root that the owner of the package could not remove.
      if (fresh.length === 0 || writtenAnswer([command, '--help']) === undefined) return;
      if (process.getuid?.() !== (process.getuid && fs.statSync(built).uid)) return;
      fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
      for (const each of fresh) write(each);
    } catch {
      // Goes without.
    }
  });
}

/** What else Node is told to do, such as to watch or to measure, changes what it compiles. */
const isPlain = ({ NODE_OPTIONS, NODE_V8_COVERAGE, NODE_DISABLE_COMPILE_CACHE }) =>
  !NODE_OPTIONS && !NODE_V8_COVERAGE && !NODE_DISABLE_COMPILE_CACHE && process.execArgv.length === 0;

if (isAnswered(process.argv.slice(2))) {
  process.exitCode = 0;
} else if (existsSync(join(built, 'main.js'))) {
  // Saves 10 to 55 ms from the second start on. Where its folder cannot be written, Node goes without.
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache) enableCompileCache();
  else if (process.version.startsWith('v20.') && isPlain(process.env)) keepCompiled(process.argv[2]);
  // What is kept cannot import modules: V8 forgets for whom it did.
  void require('../dist/cli/main.js').main({ importModule: (url) => import(url) });
} else {
  process.stderr.write('passkey: this checkout is not built yet (dist/ is missing); run `npm run build` first.\n');
  process.exitCode = 2;
}
