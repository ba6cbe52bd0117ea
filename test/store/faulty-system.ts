// Loaded before a worker (`node --import`): a system whose disk fails and whose clock is set all the time. It replaces calls of the system
// and nothing of ours. Every fifth flush is answered with EIO, as by a disk that has lost a block; the time of day is hours off, forward
// and back, from one look to the next.
import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const EVERY = 5;
const HOUR = 3_600_000;
let flushes = 0;

function failure(): NodeJS.ErrnoException | undefined {
  flushes += 1;
  return flushes % EVERY === 0
    ? Object.assign(new Error('EIO: i/o error, fdatasync'), { errno: -5, code: 'EIO', syscall: 'fdatasync' })
    : undefined;
}

const { fdatasync } = fs;
Reflect.set(fs, 'fdatasync', (file: number, done: (error: NodeJS.ErrnoException | null) => void) => {
  const error = failure();
  if (error === undefined) fdatasync(file, done);
  else process.nextTick(done, error);
});

const file = await open(import.meta.filename, 'r');
const prototype: FileHandle = Object.getPrototypeOf(file);
await file.close();
for (const name of ['sync', 'datasync'] as const) {
  const flush = prototype[name];
  prototype[name] = async function (this: FileHandle): Promise<void> {
    const error = failure();
    if (error !== undefined) throw error;
    await flush.call(this);
  };
}

const jumps = [0, 5, -7, 48, -30, 1];
let looks = 0;
const SystemDate = Date;
const timeOfDay = (): number => {
  looks += 1;
  return SystemDate.now() + (jumps[looks % jumps.length] ?? 0) * HOUR;
};
globalThis.Date = new Proxy(SystemDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [timeOfDay()] : args, newTarget),
  get: (target, member, receiver) => (member === 'now' ? timeOfDay : Reflect.get(target, member, receiver)),
});
syncBuiltinESMExports();
