// The terms of everything in an executable: the program, the packages in it, Node and what Node contains.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { licenceOfNode, NODE_VERSION } from './node-packages.mjs';

const root = join(import.meta.dirname, '..');

export async function licences() {
  const [own, bundled, node] = await Promise.all([
    readFile(join(root, 'LICENSE'), 'utf8'),
    readFile(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8'),
    licenceOfNode(),
  ]);
  return [section('passkey', own), section('Packages in it', bundled), section(`Node.js ${NODE_VERSION}`, node)].join('\n\n');
}

function section(title, text) {
  return `${title}\n${'#'.repeat(title.length)}\n\n${text.replaceAll('\r\n', '\n').trim()}\n`;
}
