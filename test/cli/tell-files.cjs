// Preloaded by node: has it tell every file that it loads as CommonJS.
'use strict';
const { _extensions: extensions } = require('node:module');

const load = extensions['.js'];
extensions['.js'] = (module, file) => {
  process._rawDebug(`loads ${file}`);
  return load(module, file);
};
