import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveServeSettings } from '../../src/cli/config/resolve.js';
import { fakeIo } from '../cli/fake-io.js';
import { tempFolder } from '../cli/temp-folder.js';
import { serveHere } from '../e2e/passkey-in-process.js';
import { ROOT } from '../e2e/passkey-process.js';

const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

/** Instructions with their arguments, in stages. */
const stages = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const)
  .reduce<(readonly [string, string])[][]>((all, instruction) => {
    if (instruction[0] === 'FROM') all.push([]);
    all.at(-1)?.push(instruction);
    return all;
  }, []);
const last = stages.at(-1) ?? [];
const argumentsOf = (name: string): string[] => last.flatMap(([each, argument]) => (each === name ? [argument] : []));

describe('Dockerfile', () => {
  test('has the stages and instructions of one that is small and not run by root', () => {
    // https://docs.docker.com/reference/dockerfile/
    const known = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'VOLUME', 'USER', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'];
    for (const stage of stages) for (const [name] of stage) expect(known).toContain(name);
    expect(stages.map(([from]) => from?.[1])).toEqual([
      expect.stringMatching(/^node:\d+-alpine AS build$/),
      expect.stringMatching(/^node:\d+-alpine$/),
    ]);
    expect(stages[1]?.[0]?.[1]).toBe(stages[0]?.[0]?.[1].replace(' AS build', ''));
    expect(argumentsOf('COPY')).toEqual(['--from=build /package /opt/passkey']);
    expect(argumentsOf('USER')).toEqual(['node']);
    // The folder belongs to that user before it becomes a volume, and nothing is done as root afterwards.
    const names = last.map(([name]) => name);
    expect(names.indexOf('VOLUME')).toBeGreaterThan(names.lastIndexOf('RUN'));
    expect(argumentsOf('VOLUME')).toEqual(['/data']);
    for (const name of ['ENTRYPOINT', 'CMD']) expect(JSON.parse(argumentsOf(name)[0] ?? '')).toEqual([expect.any(String)]);
  });

  test('sets what passkey serve can take, with the store in the volume', async () => {
    const env = Object.fromEntries(
      argumentsOf('ENV')
        .join(' ')
        .split(' ')
        .map((each) => each.split('=') as [string, string]),
    );
    const settings = await resolveServeSettings(fakeIo({ env }).io, {});
    expect(settings).toMatchObject({ host: '0.0.0.0', open: false, port: Number(argumentsOf('EXPOSE')[0]) });
    expect([settings.store, settings.credentials]).toEqual(['/data/passkeys.jsonl', '/data/credentials.json']);
  });

  test('has a health check that tells whether the server answers', async () => {
    const [, command = '[]'] = /CMD (\[.*\])$/.exec(argumentsOf('HEALTHCHECK')[0] ?? '') ?? [];
    const [program, ...args]: string[] = JSON.parse(command);
    expect(program).toBe('node');
    const { port, stop } = await serveHere(['--store', 'memory:', '--log-level', 'silent'], { cwd: await tempFolder() });
    const { spawn } = await import('node:child_process');
    const check = () =>
      new Promise((resolve) => {
        spawn(process.execPath, args, { env: { ...process.env, PASSKEY_PORT: String(port) } }).on('exit', resolve);
      });
    expect(await check()).toBe(0);
    await stop();
    expect(await check()).toBe(1);
  });

  test('.dockerignore lets through what is there, and neither modules nor secrets', () => {
    const kept = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(kept.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
    expect(kept).not.toContain('node_modules');
    const tracked = spawnSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).stdout.split('\n');
    for (const [, copied = ''] of text.matchAll(/^COPY ((?!--from)\S.*) \.\/$/gm)) {
      for (const file of copied.split(' ')) {
        expect([kept, tracked]).toEqual([expect.arrayContaining([file]), expect.arrayContaining([file])]);
      }
    }
  });
});
