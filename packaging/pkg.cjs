// Run by Node 22 with the path of a JSON file: lets pkg make the executables that it names. Not by pkg's own command, which hands over
// neither assets nor the code cache: its documented `seaConfig` does both, and is what this function takes.
'use strict';
const { readFileSync } = require('node:fs');
const { default: sea } = require('@yao-pkg/pkg/lib-es5/sea.js');

const { main, targets, seaConfig } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

// `signature: false`: pkg signs with tools that only macOS has, or that are no packages; see macho-signature.mjs.
sea(main, { targets, signature: false, seaConfig }).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
