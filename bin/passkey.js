#!/usr/bin/env node
'use strict';
// CommonJS, which Node starts sooner than ES modules.
const fs = require('node:fs');
const { basename, dirname, join } = require('node:path');

const { existsSync, fstatSync, readFileSync, writeSync } = fs;

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
  const { constants, Script } = require('node:vm');
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
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    loaded.push({ path, script, of, commands: kept === undefined || script.cachedDataRejected ? [] : kept.commands });
    const whole = script.runInThisContext();
    return whole.call(this.exports, this.exports, (id) => this.require(id), this, filename, dirname(filename));
  };

  /**
   * Data, what they are of and the commands whose functions are in them, and in four bytes how long these words are. V8 refuses data that
   * are not whole.
   */
  function readKept(path, wanted) {
    try {
      const file = readFileSync(path);
      const end = file.length - 4;
      const data = file.subarray(0, end - file.readUInt32LE(end));
      const [of, ...commands] = file.toString('utf8', data.length, end).split(' ');
      return of === wanted ? { data, commands } : undefined;
    } catch {
      return undefined;
    }
  }

  function write({ path, script, of, commands }) {
    const words = Buffer.from([of, ...commands, command].join(' '));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(words.length);
    const file = Buffer.concat([script.createCachedData(), words, length]);
    const temporary = `${path}.${process.pid}.tmp`;
    try {
      fs.writeFileSync(temporary, file, { flag: 'wx', flush: true });
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
      fs.mkdirSync(folder, { recursive: true });
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
  void require('../dist/cli/main.js').main();
} else {
  process.stderr.write('passkey: this checkout is not built yet (dist/ is missing); run `npm run build` first.\n');
  process.exitCode = 2;
}
