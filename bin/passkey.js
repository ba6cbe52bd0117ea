#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const entry = new URL('../dist/cli/main.js', import.meta.url);

if (existsSync(entry)) {
  // Saves 10 to 55 ms from the second start on; not in Node 20.
  module.enableCompileCache?.();
  const { main } = await import(entry.href);
  await main();
} else {
  process.stderr.write('passkey: this checkout is not built yet (dist/ is missing); run `npm run build` first.\n');
  process.exitCode = 2;
}
