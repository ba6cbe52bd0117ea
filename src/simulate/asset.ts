/**
 * Reads a text file that is embedded in the standalone executable. Returns undefined when the package runs on a runtime instead; Bun and
 * Deno have no `node:sea`.
 */
export function readAsset(name: string): string | undefined {
  const sea: typeof import('node:sea') | undefined = process.getBuiltinModule('node:sea');
  return sea?.isSea() ? sea.getAsset(name, 'utf8') : undefined;
}
