import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';

/** All that a user reads, or that writes it. */
const files = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'action.yml',
  'Dockerfile',
  'docs',
  'src',
  'bin',
  'fixtures',
  'packaging',
  'build',
].flatMap((name) =>
  /\.\w+$|^Docker/.test(name)
    ? [name]
    : readdirSync(join(ROOT, name), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(?:md|tsx?|m?js|json|ya?ml|html|sh)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
);

// Without a local install, npx fetches the package of that name, and `passkey` is not ours. `--no-install` fetches nothing.
test('no command that we print or document runs the npm package "passkey"', () => {
  const foreign = /\b(?:npx(?: (?:--yes|-y))?|npm (?:exec|x|install|i|add)(?: -\S+)*|pnpm dlx|yarn dlx|bunx) passkey(?![\w-])/;
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => foreign.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});
