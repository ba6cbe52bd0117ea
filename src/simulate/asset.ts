/** Reads a text inside the executable; undefined if a runtime runs the package. Bun and Deno have no `node:sea`. */
export function readAsset(name: string): string | undefined {
  const sea: typeof import('node:sea') | undefined = process.getBuiltinModule('node:sea');
  return sea?.isSea() ? sea.getAsset(name, 'utf8') : undefined;
}
