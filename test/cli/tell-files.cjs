// Preloaded by node: has it tell every file that it loads as CommonJS, and at the end the built-in modules that it has loaded since.
'use strict';
const { _extensions: extensions } = require('node:module');

const load = extensions['.js'];
extensions['.js'] = (module, file) => {
  process._rawDebug(`loads ${file}`);
  return load(module, file);
};

const before = new Set(process.moduleLoadList);
process.on('exit', () => {
  for (const each of process.moduleLoadList) {
    const [, name] = /^NativeModule (.+)$/.exec(each) ?? [];
    if (name !== undefined && !before.has(each)) process._rawDebug(`built-in ${name}`);
  }
});
