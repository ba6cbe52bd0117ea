import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { writeFixture } from '../../../src/fixture/write.js';
import { flipBit } from '../../../src/simulate/engine/edits.js';
import { MISTAKES, recordRefusedLogin } from '../../explain/refused-logins.js';
import { openSite, ROOT } from '../../simulate/doctor/site.js';
import { editBytes } from '../../simulate/fixture-edits.js';
import { recordSoftwareCeremonies } from '../../simulate/software-ceremonies.js';
import { PLAIN_PROFILE } from '../../simulate/target/small-server.js';
import { runIn } from '../run-in.js';
import type { Place } from './run-slots.js';

/** Recordings, a report of their run, a profile, and three servers: one that hears everything, one that never answers, one with TLS. */
export function againstServers(): Place {
  const words = new Map<string, string>();
  const received: string[] = [];
  const closing: (() => Promise<void>)[] = [];
  const start = async (server: Server): Promise<string> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `localhost:${(server.address() as AddressInfo).port}`;
  };
  return {
    words,
    received: () => received.splice(0),
    async fill(folder) {
      const small = await start(
        createServer((request, response) => {
          const { method, url, headers } = request;
          void text(request).then(() => {
            received.push(`${method} ${url} ${headers.host} ${headers.authorization}`);
            response.end('{}');
          });
        }),
      );
      // Its page has a warning.
      const site = await openSite({ '/': { headers: { 'content-type': 'text/html' }, body: '' } });
      closing.push(site.close);
      words.set('$SMALL', `http://${small}`).set('$ADDRESS', small);
      words.set('$SILENT', `http://${await start(createServer(() => {}))}`).set('$SECURE', site.address);
      await writeRecordings(folder);
      const profile = JSON.stringify(PLAIN_PROFILE).replaceAll('"POST /', '"POST /{shop}/{origin}/');
      const files = {
        'small.json': JSON.stringify({ ...JSON.parse(profile), variables: { shop: 'books' } }),
        'root.pem': ROOT,
        tokens: 'three\n',
        'login.har': (await recordRefusedLogin(MISTAKES['wrong expected origin'])).har,
      };
      for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content, { mode: 0o600 });
      // No browser: it notes how it was started.
      await writeFile(join(folder, 'program'), '#!/bin/sh\ncd "${0%/*}" && echo "$@" | grep -o -e "--headless[^ ]*" > started\n', {
        mode: 0o755,
      });
    },
    async close() {
      for (const close of closing) await close();
    },
  };
}

/** `good` is a login; the others have a signature with a wrong bit. */
async function writeRecordings(folder: string): Promise<void> {
  const { login } = await recordSoftwareCeremonies();
  await mkdir(join(folder, 'fixtures'));
  await writeFixture(join(folder, 'fixtures'), { ...login, name: 'good' });
  const bad = editBytes('signature', flipBit(-1))(login);
  // More than are shown of one finding.
  for (const name of ['bad', 'bad-too', 'worse', 'worst']) await writeFixture(join(folder, 'fixtures'), { ...bad, name });
  const { stdout } = await runIn(folder, ['simulate', '--fixtures', 'fixtures', '--replay', 'verbatim', '--json']);
  await writeFile(join(folder, 'earlier.json'), stdout);
  await writeFile(join(folder, 'incomplete.json'), JSON.stringify({ ...JSON.parse(stdout), incomplete: true }));
}
