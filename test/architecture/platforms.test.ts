import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Functions of Node that only POSIX has, or that Windows answers in its own way. */
const CALLS =
  /^(?:f?l?chmod|f?l?chown|statfs|link|symlink|rename|unlink|utimes|realpath|readlink|spawn|exec|execFile|fork|userInfo)(?:Sync)?$/;
const IMPORT = /import \{([^}]*)\} from 'node:(?:fs|fs\/promises|child_process|os)'/g;
const WORDS =
  /process\.(?:platform|kill|ppid|umask|get[eg]*[ug]id|report)\b|'SIG[A-Z0-9]+'|'\/proc\b|\/dev\/std|\bconstants\.O_[A-Z]+|setRawMode|\bdetached:|\.chown\(/;

/** What runs in a browser knows none of them. */
const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.ts') && !file.startsWith('src/page/'));

function uses(text: string): string[] {
  const imported = [...text.matchAll(IMPORT)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim().split(' ')[0] ?? ''));
  const word = WORDS.exec(text)?.[0];
  return [...imported.filter((name) => CALLS.test(name)), ...(word === undefined ? [] : [word])];
}

test('every call that is not the same on Windows and macOS is in the table of docs/maintain/platforms.md, with what happens there', () => {
  const page = readFileSync(join(ROOT, 'docs/maintain/platforms.md'), 'utf8');
  const listed = new Set(
    [...page.matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(src\/[^`]+)`/g)].map(([, file = '']) => file),
    ),
  );
  const found = files.flatMap((file) => {
    const [first] = uses(readFileSync(join(ROOT, file), 'utf8'));
    return first === undefined || listed.has(file)
      ? []
      : [`${file} uses ${first}: look at what Windows does, and add the file to docs/maintain/platforms.md`];
  });
  expect(found).toEqual([]);
  expect([...listed].filter((file) => !files.includes(file))).toEqual([]);
  expect(listed.size).toBeGreaterThan(15);
});
