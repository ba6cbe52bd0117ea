/**
 * Reads a text file that is embedded in the standalone executable. Undefined if the program does not run as that executable but on Node,
 * Bun or Deno; Bun and Deno have no `node:sea`.
 */
export function readAsset(name: string): string | undefined {
  const sea: typeof import('node:sea') | undefined = process.getBuiltinModule('node:sea');
  return sea?.isSea() ? sea.getAsset(name, 'utf8') : undefined;
}
