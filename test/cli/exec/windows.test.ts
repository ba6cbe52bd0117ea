import { describe, expect, test } from 'vitest';
import { windowsStart } from '../../../src/cli/exec/windows.js';
import { PasskeyError } from '../../../src/errors.js';
import { fc } from '../../properties.js';

const ENV = { Path: 'C:\\Tools;"C:\\Program Files\\nodejs"', PATHEXT: '.COM;.EXE;.BAT;.CMD', ComSpec: 'C:\\Windows\\system32\\cmd.exe' };
const FILES = [
  'C:\\Tools\\tool.exe',
  'C:\\Program Files\\nodejs\\node.exe',
  'C:\\Program Files\\nodejs\\npm',
  'C:\\Program Files\\nodejs\\npm.cmd',
  'C:\\work\\node_modules\\.bin\\vitest.cmd',
  'C:\\work\\local.cmd',
];
const place = {
  cwd: 'C:\\work',
  env: ENV,
  isFile: (path: string) => FILES.some((file) => file.toLowerCase() === path.toLowerCase()),
};

/**
 * Phase 2 of cmd.exe for a line without variables: a caret outside of quotes takes the next character as it is; metacharacters outside
 * of quotes that no caret guards would do something else (https://stackoverflow.com/a/4095133).
 */
function readByCmd(line: string): string {
  let out = '';
  let inQuotes = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '^' && !inQuotes) {
      at += 1;
      out += line.charAt(at);
    } else {
      if (character === '"') inQuotes = !inQuotes;
      else if (!inQuotes && /[()%!<>&|]/.test(character)) throw new Error(`cmd.exe would act on ${character} in ${line}`);
      else if (inQuotes && character === '%') throw new Error(`cmd.exe would expand a variable in ${line}`);
      out += character;
    }
  }
  return out;
}

/** CommandLineToArgvW, as https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments has it. */
function readByProgram(line: string): string[] {
  const args: string[] = [];
  let arg: string | undefined;
  let inQuotes = false;
  for (let at = 0; at < line.length; ) {
    const [slashes = ''] = /^\\*/.exec(line.slice(at)) ?? [];
    const next = line.charAt(at + slashes.length);
    if (next === '"') {
      arg = (arg ?? '') + '\\'.repeat(slashes.length >> 1);
      if (slashes.length % 2 === 1) arg += '"';
      else inQuotes = !inQuotes;
      at += slashes.length + 1;
    } else if (slashes.length > 0) {
      arg = (arg ?? '') + slashes;
      at += slashes.length;
    } else {
      if (/[ \t]/.test(next) && !inQuotes) {
        if (arg !== undefined) args.push(arg);
        arg = undefined;
      } else {
        arg = (arg ?? '') + next;
      }
      at += 1;
    }
  }
  return arg === undefined ? args : [...args, arg];
}

/** What the program behind a batch file gets; a shim of npm passes `%*` on to a second line. */
function received(line: string, isShim: boolean): string[] {
  const [, inner = ''] = /^"(.*)"$/s.exec(line) ?? [];
  const once = readByCmd(inner);
  const [, rest = ''] = /^(?:[^ ]|(?<=Program) )+(.*)$/s.exec(once) ?? [];
  return readByProgram(isShim ? readByCmd(rest) : rest);
}

describe('starting a command on Windows', () => {
  test.each([
    ['node', 'C:\\Program Files\\nodejs\\node.exe'],
    ['NODE.EXE', 'C:\\Program Files\\nodejs\\NODE.EXE'],
    ['tool', 'C:\\Tools\\tool.EXE'],
    ['C:\\Tools\\tool.exe', 'C:\\Tools\\tool.exe'],
    ['absent', 'absent'],
  ])('%s is found in PATH and started as it is', (command, file) => {
    const start = windowsStart(command, ['a b', '%PATH%'], place);
    expect(start.file.toLowerCase()).toBe(file.toLowerCase());
    expect(start).toMatchObject({ args: ['a b', '%PATH%'], windowsVerbatimArguments: false });
  });

  test('npm is the batch file, not the shell script beside it, and cmd.exe runs it', () => {
    expect(windowsStart('npm', ['test'], place)).toEqual({
      file: 'C:\\Windows\\system32\\cmd.exe',
      args: ['/d', '/s', '/c', '"C:\\Program^ Files\\nodejs\\npm.CMD ^"test^""'],
      windowsVerbatimArguments: true,
    });
  });

  test('a batch file of the working directory needs its path', () => {
    expect(windowsStart('local', [], place).file).toBe('local');
    expect(windowsStart('.\\local', [], place).args.at(-1)).toBe('"C:\\work\\local.CMD"');
  });

  const ARGUMENT = fc.string({ unit: fc.constantFrom(...'"\\^%!&|<>()[];,*?`\' \tab='), maxLength: 12 });
  test.each([
    ['npm', false],
    ['node_modules\\.bin\\vitest', true],
  ])('%s gets its arguments as they are', (command, isShim) => {
    fc.assert(
      fc.property(fc.array(ARGUMENT, { maxLength: 4 }), (args) => {
        const [, , , line = ''] = windowsStart(command, args, place).args;
        expect(received(line, isShim)).toEqual(args);
      }),
      { seed: 17, numRuns: 300 },
    );
  });

  test.each(['a\nb', 'a\rb', 'a\0b'])('a batch file takes no %j', (arg) => {
    expect(() => windowsStart('npm', [arg], place)).toThrow(PasskeyError);
    expect(windowsStart('node', [arg], place).args).toEqual([arg]);
  });
});
