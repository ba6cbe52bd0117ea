#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const commandLine = new URL('../dist/cli.js', import.meta.url);
if (existsSync(commandLine)) {
  // Node 22 and later keep what they have compiled.
  module.enableCompileCache?.();
  try {
    const { main } = await import(commandLine.href);
    void main();
  } catch (error) {
    if (error.code !== 'EMFILE') throw error;
    process.stderr.write('passkey: too many files are open. Allow more, such as with `ulimit -n 256`.\n');
    process.exitCode = 2;
  }
} else {
  process.stderr.write('passkey: this checkout is not built yet (dist/ is missing); run `npm ci && npm run build` first.\n');
  process.exitCode = 2;
}
