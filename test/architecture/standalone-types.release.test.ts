import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';
import { STRICT_OPTIONS } from './consumer.js';

/** Types of entry points that the sources derive from schemas. */
const DERIVED: Readonly<Record<string, readonly string[]>> = {
  'explain/document-schema': ['ExplainDocument'],
  'relying-party/passkey-document': ['PasskeyRow'],
  'simulate/report/report': ['SimulateReport', 'CaseResult', 'ListedCase'],
  'simulate/engine/earlier-report': ['EarlierReport'],
  'simulate/load/report': ['LoadReport'],
  'simulate/target/profile-schema': ['TargetProfile'],
};

/** Compiles what holds each declared type against that of the sources. */
function compile(extra: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'passkey-types-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lines = Object.entries(DERIVED).flatMap(([file, names]) =>
    names.flatMap((name) => [
      `import type { ${name} as ${name}Source } from ${JSON.stringify(join(ROOT, `src/${file}.js`))};`,
      `import type { ${name} as ${name}Declared } from ${JSON.stringify(join(ROOT, `dist/types/${file}.js`))};`,
      `export const same${name}: Same<${name}Source, ${name}Declared> = true;`,
    ]),
  );
  const same = 'type Same<A, B> = 0 extends 1 & B ? "any" : [A] extends [B] ? ([B] extends [A] ? true : "wider") : "narrower";';
  writeFileSync(join(folder, 'same.ts'), [same, ...lines, extra].join('\n'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    ...STRICT_OPTIONS,
    module: 'nodenext',
    moduleResolution: 'nodenext',
    skipLibCheck: true,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['same.ts'] }));
  try {
    return execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8' });
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}

test('types that come from schemas are declared without the library of the schemas, and are the same', () => {
  expect(compile('')).toBe('');
});

test('the comparison tells a difference', () => {
  const other = 'export const other: Same<SimulateReportSource, Omit<SimulateReportDeclared, "results">> = true;';
  expect(compile(other)).toMatch(/same\.ts\(\d+,\d+\): error TS2322/);
});
