// Runs inside the executable, where the program has no files: loads its modules, which were turned into CommonJS, from the assets of the
// executable, each when it is first asked for. `packaging/program.mjs` puts in what is started.
'use strict';
const { getAsset } = require('node:sea');
const { join } = require('node:path').posix;
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const PARAMETERS = '(exports, require, module, __url, __filename) => {';
const loaded = new Map();

/** The exports of a module of the program, by its path in dist/. */
function load(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const script = new Script(`${PARAMETERS}${getAsset(`program/${name}`, 'utf8')}\n}`, {
    filename: `passkey:${name}`,
    columnOffset: -PARAMETERS.length,
  });
  const requireFrom = (specifier) => (specifier.startsWith('.') ? load(join(name, '..', specifier)) : require(specifier));
  // No file lies below the executable, so what is looked for beside a module is not found.
  const file = `${process.execPath}/${name}`;
  script.runInThisContext()(module.exports, requireFrom, module, pathToFileURL(file).href, file);
  return module.exports;
}

if (isMainThread) {
  // Modules of the user, as for --auth-action, only this script can import.
  load('cli/main.js').main({ command: process.argv0, importModule: (url) => import(url) });
} else {
  load('simulate-thread.js');
}
