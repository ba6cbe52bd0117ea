import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

const USUAL_PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'];

/** The Firefox of this machine: PASSKEY_FIREFOX, else the first of the usual places. */
const firefoxPath: string | undefined = [process.env.PASSKEY_FIREFOX, ...USUAL_PLACES].find((path) => path && existsSync(path));

/** Whether to skip the smoke test: Firefox is missing, and this is not CI, where that is a failure. Prints that it skips. */
export function skipWithoutFirefox(): boolean {
  const missing = firefoxPath === undefined && !process.env.CI;
  if (missing) {
    process.stderr.write('SKIPPED: the smoke test in Firefox. Found no Firefox. Install one, or set PASSKEY_FIREFOX to its path.\n');
  }
  return missing;
}

const PREFERENCES = {
  // 0 is a free port, written to MarionetteActivePort in the profile.
  'marionette.port': 0,
  'security.webauth.webauthn_enable_softtoken': true,
  'security.webauth.webauthn_enable_usbtoken': false,
  'focusmanager.testmode': true,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.disabledForTesting': true,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

/** The key for copy and paste. */
const CONTROL = process.platform === 'darwin' ? '\uE03D' : '\uE009';

export interface Firefox {
  /** A command of Marionette, e.g. `WebDriver:Navigate`. */
  send(command: string, parameters?: object): Promise<unknown>;
  /** Runs the body of a function in the page until it is true. */
  until(script: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Pastes over the text of a field, by keys. */
  paste(selector: string, text: string): Promise<void>;
  /** The value of an expression in the page. */
  read(expression: string): Promise<unknown>;
}

/** Firefox with a fresh profile and a virtual authenticator, driven through Marionette: geckodriver is not an npm package. Stops after the test. */
export async function openFirefox(): Promise<Firefox> {
  if (firefoxPath === undefined) throw new Error('no Firefox');
  const profile = await mkdtemp(join(tmpdir(), 'passkey-firefox-'));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), `${lines.join('\n')}\n`);
  const child = spawn(firefoxPath, ['--marionette', '--headless', '--no-remote', '--profile', profile], { stdio: 'ignore' });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const send = speak(await connectTo(join(profile, 'MarionetteActivePort')));
  await send('WebDriver:NewSession', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
  await send('WebAuthn:AddVirtualAuthenticator', {
    protocol: 'ctap2_1',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserConsenting: true,
    isUserVerified: true,
  });
  const run = async (script: string): Promise<unknown> => {
    const answer = await send('WebDriver:ExecuteScript', { script, args: [] });
    return typeof answer === 'object' && answer !== null && 'value' in answer ? answer.value : undefined;
  };
  /** Presses keys while Control is held. */
  const press = async (...keys: readonly string[]) => {
    const pressed = keys.flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    const actions = [{ type: 'keyDown', value: CONTROL }, ...pressed, { type: 'keyUp', value: CONTROL }];
    await send('WebDriver:PerformActions', { actions: [{ type: 'key', id: 'keys', actions }] });
  };
  return {
    send,
    read: (expression) => run(`return ${expression};`),
    async click(selector) {
      await run(`document.querySelector(${JSON.stringify(selector)}).click();`);
    },
    async paste(selector, text) {
      // From a field that is not the page's: drawing writes its own text into those of the page at any time.
      await run(`const source = document.body.appendChild(document.createElement('textarea'));
        Object.assign(source, { id: 'paste-source', value: ${JSON.stringify(text)} });
        source.focus();`);
      await press('a', 'x');
      await run(`document.querySelector(${JSON.stringify(selector)}).focus(); document.getElementById('paste-source').remove();`);
      await press('a', 'v');
    },
    async until(script) {
      while ((await run(script)) !== true) {
        await delay(100);
      }
    },
  };
}

async function connectTo(portFile: string): Promise<Socket> {
  for (;;) {
    const port = Number(await readFile(portFile, 'utf8').catch(() => '0'));
    if (port > 0) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    }
    await delay(100);
  }
}

/** Marionette's packets: length in bytes, a colon, JSON; requests are [0, id, command, parameters], answers [1, id, error, result]. */
function speak(socket: Socket): Firefox['send'] {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let received = Buffer.alloc(0);
  let last = 0;
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    for (;;) {
      const colon = received.indexOf(':');
      const end = colon + 1 + Number(received.subarray(0, colon).toString());
      if (colon === -1 || received.length < end) return;
      const packet: unknown = JSON.parse(received.subarray(colon + 1, end).toString());
      received = received.subarray(end);
      // The greeting is an object and needs no answer.
      if (!Array.isArray(packet)) continue;
      const [, id, error, result]: unknown[] = packet;
      const call = waiting.get(Number(id));
      waiting.delete(Number(id));
      if (error === null) call?.resolve(result);
      else call?.reject(new Error(JSON.stringify(error)));
    }
  });
  return (command, parameters = {}) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      const packet = JSON.stringify([0, id, command, parameters]);
      socket.write(`${Buffer.byteLength(packet)}:${packet}`);
    });
}
