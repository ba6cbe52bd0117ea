import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FunctionDeclaration } from 'typescript/unstable/ast';
import { isFunctionDeclaration } from 'typescript/unstable/ast/is';
import { API, type Symbol as ExportedSymbol, type Project, SymbolFlags } from 'typescript/unstable/sync';
import { toTable } from './errors-page.js';

const root = resolve(import.meta.dirname, '../..');

const INTRODUCTION = `Every export of every entry point with its doc comment, and an example of each entry point. [library.md](../library.md) shows how the parts fit together,
[testing.md](../testing.md) and [testing-browser.md](../testing-browser.md) the testing kit. The members of a type are in its declaration,
where an editor shows them.`;

/** A name that an entry point exports. */
interface Export {
  readonly name: string;
  /** What the comment and its tags say, in Markdown. */
  readonly about: string;
  /** The declarations of a function without their bodies. */
  readonly signatures: readonly string[];
}

/** Makes docs/reference/api.md from the sources of the entry points, as the compiler reads them. */
export function makeApiPage(): string {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProjects: ['tsconfig.types.json'] }).getProjects();
    if (project === undefined) throw new Error('Expected tsconfig.types.json to be a project.');
    const sections = listEntryPoints().map(({ name, source }) => describeEntryPoint(name, listExports(project, source)));
    return `${['# Entry points of the package', INTRODUCTION, ...sections].join('\n\n')}\n`;
  } finally {
    api.close();
  }
}

/** Lists what package.json exports with types. */
export function listEntryPoints(): { readonly name: string; readonly source: string }[] {
  const { exports }: { exports: Readonly<Record<string, { readonly types?: string }>> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return Object.entries(exports).flatMap(([path, { types }]) =>
    types === undefined
      ? []
      : [{ name: path.replace('.', 'passkey-cli'), source: types.replace('./dist/types', 'src').replace('.d.ts', '.ts') }],
  );
}

function listExports({ program, checker }: Project, source: string): Export[] {
  const file = program.getSourceFile(source);
  const module = file && checker.getSymbolAtLocation(file);
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  return exported.map((each) => {
    const symbol = each.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each;
    const functions = symbol.declarations
      .map((handle) => handle.resolve())
      .filter((node) => node !== undefined && isFunctionDeclaration(node));
    // Of overloads, the implementation is not to be called.
    const open = functions.length > 1 ? functions.filter(({ body }) => body === undefined) : functions;
    return { name: each.name, about: readComment(symbol, checker), signatures: open.map(readSignature) };
  });
}

function readSignature(declaration: FunctionDeclaration): string {
  const end = declaration.body?.getStart() ?? declaration.getEnd();
  const text = declaration.getText().slice(0, end - declaration.getStart());
  return text.replace(/^export (?:async )?/, '').replace(/[;\s]+$/, '');
}

/** Names of packages begin as tags do. */
function readComment(symbol: ExportedSymbol, checker: Project['checker']): string {
  const tags = symbol.getJsDocTags(checker).map(({ name, text = '' }) => {
    const [, parameter = '', about = ''] = /^(\S+)\s*([^]*)$/.exec(text) ?? [];
    if (name === 'param') return `\n\n\`${parameter}\`: ${about}`;
    return name === 'throws' || name === 'returns' ? `\n\n${name === 'throws' ? 'Throws' : 'Returns'} ${text}` : ` @${name}${text}`;
  });
  const text = [symbol.getDocumentationComment(checker), ...tags].join('').replaceAll(/\{@link (\S+?)\}/g, '`$1`');
  // Outside code, these would be markup.
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[<|*]/g, (sign) => `\\${sign}`) : part))
    .join('`')
    .trim();
}

function describeEntryPoint(name: string, exports: readonly Export[]): string {
  const isFunction = ({ signatures }: Export) => signatures.length > 0;
  const others = exports.filter((each) => !isFunction(each));
  const rows = others.filter(({ about }) => about !== '').map((each) => [`\`${each.name}\``, each.about.replaceAll(/\s+/g, ' ')]);
  const plain = others.filter(({ about }) => about === '').map((each) => `\`${each.name}\``);
  return [
    `## ${name}`,
    ...readExample(name),
    ...exports.filter(isFunction).flatMap((each) => [`### ${each.name}`, `\`\`\`ts\n${each.signatures.join('\n')}\n\`\`\``, each.about]),
    ...(rows.length === 0 ? [] : [toTable(['Types and constants', ''], rows)]),
    ...(plain.length === 0 ? [] : [`Also: ${plain.join(', ')}.`]),
  ].join('\n\n');
}

/** Programs, which the tests run. */
export const findExample = (entryPoint: string): string =>
  join(import.meta.dirname, 'examples', `${entryPoint.replace('passkey-cli/', '')}.mjs`);

/** Playwright needs a browser: its example is in docs/testing-browser.md. */
function readExample(entryPoint: string): string[] {
  const file = findExample(entryPoint);
  return existsSync(file) ? [`\`\`\`js\n${readFileSync(file, 'utf8').trimEnd()}\n\`\`\``] : [];
}
