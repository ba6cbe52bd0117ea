#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const commandLine = new URL('../dist/cli.js', import.meta.url);
if (existsSync(commandLine)) {
  // Node 22 and later keep what they have compiled.
  module.enableCompileCache?.();
  const { main } = await import(commandLine.href);
  void main();
} else {
  process.stderr.write('passkey: this checkout is not built yet (dist/ is missing); run `npm run build` first.\n');
  process.exitCode = 2;
}
