// `npm run build && node bench/attacks/inputs.mjs [--timeout 2s]`: how `explain` and `simulate` end on files and servers made to
// hang or break them: exit code (or that they hung), milliseconds, the first message, and whether a stack was printed. What is
// given is added to `simulate --url`.
import { execFileSync, spawn } from 'node:child_process';
import { appendFile, copyFile, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const FILES_MS = 20_000;
const SERVERS_MS = 60_000;
const root = join(import.meta.dirname, '../..');
const fixture = join(root, 'fixtures/recorded/login-synced.json');

function run(argv, limit) {
  const start = performance.now();
  const child = spawn(process.execPath, [join(root, 'bin/passkey.js'), ...argv], { stdio: ['ignore', 'ignore', 'pipe'] });
  let [errors, hung] = ['', false];
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const timer = globalThis.setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, limit);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      const said = errors.split('\n')[0].replaceAll(folder, '').slice(0, 160);
      resolve({ ended: hung ? 'hung' : code, ms: Math.round(performance.now() - start), stack: /^ {4}at /m.test(errors), said });
    });
  });
}

const folder = await mkdtemp(join(tmpdir(), 'passkey-inputs-'));
const at = (name) => join(folder, name);

async function files() {
  execFileSync('mkfifo', [at('fifo')]);
  for (const name of ['with-fifo', 'with-hole']) {
    await mkdir(at(name));
    for (const each of ['a', 'z']) await copyFile(fixture, at(`${name}/${each}.json`));
  }
  execFileSync('mkfifo', [at('with-fifo/m.json')]);
  await symlink('nowhere', at('with-hole/m.json'));
  await writeFile(at('huge.json'), '');
  await truncate(at('huge.json'), 8 * 1024 ** 3);
  await writeFile(at('grows.jsonl'), '{"a":1}\n');

  for (const command of [['explain'], ['simulate', '--fixtures']]) {
    for (const name of [at('fifo'), at('with-fifo'), at('with-hole'), at('huge.json'), '/dev/zero', '/dev/tty0']) {
      console.log(`${command.join(' ')} ${name.replace(folder, '')}`, await run([...command, name], FILES_MS));
    }
  }
  for (const flag of ['--public-key', '--roots', '--aaguids', '--metadata-root']) {
    const more = flag === '--metadata-root' ? ['--metadata', fixture] : [];
    console.log(`explain ${flag} /fifo`, await run(['explain', fixture, flag, at('fifo'), ...more], FILES_MS));
  }
  console.log('list --config /fifo', await run(['list', '--config', at('fifo')], FILES_MS));
  console.log('list --store /fifo', await run(['list', '--store', at('fifo')], FILES_MS));

  // About as fast as it is explained.
  const lines = '{"a":1}\n'.repeat(1000);
  let grows = true;
  const growing = (async () => {
    while (grows) {
      await appendFile(at('grows.jsonl'), lines);
      await setTimeout(250);
    }
  })();
  console.log('explain /grows.jsonl', await run(['explain', at('grows.jsonl')], SERVERS_MS));
  grows = false;
  await growing;
}

const ok = (body) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
const SERVERS = {
  'says nothing': () => undefined,
  'answers a byte a second': (socket) => {
    const head = `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(1000)}`;
    let sent = 0;
    const timer = setInterval(() => socket.write(head.charAt(sent++)), 1000);
    socket.on('close', () => clearInterval(timer));
  },
  'sends its body a byte a second': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 1000);
    socket.on('close', () => clearInterval(timer));
  },
  'never ends its answer': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const more = () => {
      while (!socket.destroyed && socket.write('x'.repeat(65_536)));
    };
    socket.on('drain', more);
    more();
  },
  'answers three times, then says nothing': (socket, count) => count <= 3 && socket.write(ok('{}')),
  'answers with deep JSON': (socket) => socket.write(ok('['.repeat(100_000) + ']'.repeat(100_000))),
  'switches protocols': (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  'closes at once': (socket) => socket.destroy(),
};

async function servers() {
  for (const [name, answer] of Object.entries(SERVERS)) {
    let count = 0;
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket, (count += 1)));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${server.address().port}`;
    const argv = ['simulate', '--url', url, '--token', 'pk_a', ...process.argv.slice(2)];
    console.log(`simulate: a server that ${name}`, await run(argv, SERVERS_MS));
    server.close();
  }
}

try {
  await files();
  await servers();
} finally {
  await rm(folder, { recursive: true });
}
process.exit();
