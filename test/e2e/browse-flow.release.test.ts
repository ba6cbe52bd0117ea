import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clickElement, playFlow } from '../../src/browse/flow-player.js';
import { RECORDER_FLAGS } from '../../src/browse/flow-recorder.js';
import { followBrowser } from '../../src/browse/follow.js';
import { launchBrowser } from '../../src/browse/launch.js';
import { keptInMemory } from '../../src/cli/answer/keeper.js';
import { createAnswerer } from '../../src/cli/browse/answerer.js';
import { recordFlows } from '../../src/cli/browse/record-flow.js';
import { asObject } from '../../src/kernel/json-value.js';
import type { Flow } from '../../src/testing/page/flow.js';
import { fakeIo } from '../cli/fake-io.js';
import { tempFolder } from '../cli/temp-folder.js';
import { startSimpleWebAuthn } from '../targets/simplewebauthn.js';
import { until } from '../until.js';
import { chromiumPath, skipWithoutBrowser } from './browser.js';

const SIGN_UP_PAGE = `<!doctype html><title>A shop</title>
<label>Name <input id="name"></label><label>Password <input id="password" type="password"></label>
<label><input type="checkbox" onclick="document.querySelector('#password').type = 'text'"> Show the password</label>
<button id="register">Create <b>a passkey</b></button><button id="login" aria-label="Log in"></button><button id="icon"></button>
<p style="margin-top: 2000px"><a href="#terms">Terms</a></p>
<script type="module">
const read = async (path, body) => (await fetch(path, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
register.onclick = async () => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await read('/generate-registration-options'));
  await read('/verify-registration', await navigator.credentials.create({ publicKey }));
};
login.onclick = async () => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await read('/generate-authentication-options'));
  await read('/verify-authentication', await navigator.credentials.get({ publicKey }));
};
</script>`;

const button = (name: string) => ({ click: { role: 'button', name } });
const field = (name: string, value: string) => ({ fill: { role: 'textbox', name }, value });
const LOGIN: Flow = [button('Log in')];

describe.skipIf(skipWithoutBrowser())('--record-flow', () => {
  test('writes the clicks and fields of the user, without passwords, which the player can repeat', { timeout: 120_000 }, async () => {
    const shop = await startSimpleWebAuthn(SIGN_UP_PAGE);
    onTestFinished(() => shop.close());
    const folder = await tempFolder();
    const { io, written: printed } = fakeIo({ cwd: folder });
    const devtools = await launchBrowser({
      browser: chromiumPath,
      profile: join(folder, 'profile'),
      headless: true,
      env: process.env,
      flags: RECORDER_FLAGS,
    });
    onTestFinished(async () => {
      devtools.close();
      await devtools.closed;
    });
    const windows: string[] = [];
    const recording = recordFlows(io, devtools, { url: `${shop.url}/#shop`, file: 'flow.json' });
    const { answer } = createAnswerer(keptInMemory(), { persona: undefined, tamper: undefined });
    await followBrowser(devtools, folder, {
      answer,
      now: Date.now,
      async prepare(session) {
        await recording.prepare(session);
        windows.push(session);
      },
      onEnded: (ceremony) => void recording.ended(ceremony),
      onUnjudged(_, cause) {
        throw cause;
      },
    });
    // The browser itself has opened an empty one.
    await until(() => windows.length === 1);
    await recording.open();
    const playIn = async (index: number, flow: Flow) => {
      await until(() => windows.length > index);
      await playFlow({ devtools, session: windows[index] ?? '', base: shop.url }, flow, 7);
    };
    await playIn(1, [
      field('Name', 'Ad'),
      field('Name', 'Ada {n}'),
      field('Password', 'correct horse'),
      { click: { role: 'checkbox', name: 'Show the password' } },
      field('Password', 'battery staple'),
      { click: { role: 'link', name: 'Terms' } },
      { waitFor: { url: '#terms' } },
    ]);
    const session = windows[1] ?? '';
    const { result } = await devtools.send('Runtime.evaluate', { expression: "document.querySelector('#icon')" }, session);
    await clickElement({ devtools, session, base: shop.url }, { objectId: asObject(result)['objectId'] }, 1);
    await playIn(1, [button('Create a passkey')]);
    await playIn(2, LOGIN);
    await recording.done;
    const written = await readFile(join(folder, 'flow.json'), 'utf8');
    expect(JSON.parse(written)).toEqual({
      register: [
        { goto: '/#shop' },
        field('Name', 'Ada 7'),
        field('Password', '${env:FLOW_PASSWORD}'),
        { click: { role: 'checkbox', name: 'Show the password' } },
        field('Password', '${env:FLOW_PASSWORD}'),
        { click: { role: 'link', name: 'Terms' } },
        button('Create a passkey'),
      ],
      login: [{ goto: '/#shop' }, ...LOGIN],
    });
    expect(written).not.toMatch(/horse|staple/);
    expect(printed.stderr).toContain('not recorded: a button without an accessible name.');
    const evaluate = (expression: string) => devtools.send('Runtime.evaluate', { expression }, windows[2] ?? '');
    const cover = '<iframe></iframe><div id="cover" style="position: fixed; inset: 0"></div>';
    await evaluate(`document.body.insertAdjacentHTML('beforeend', '${cover}')`);
    await expect(playIn(2, LOGIN)).rejects.toMatchObject({
      code: 'target_unreachable',
      message: 'Step 1 ({"click":{"role":"button","name":"Log in"}}): Expected a control that can be clicked; a div#cover covers it.',
    });
    await evaluate('setTimeout(() => cover.remove(), 300)');
    await playIn(2, [{ click: { role: 'link', name: 'Terms' } }]);
    await expect(playIn(2, [{ click: { role: 'link', name: 'Nowhere' } }])).rejects.toMatchObject({
      code: 'target_unreachable',
      message:
        'Step 1 ({"click":{"role":"link","name":"Nowhere"}}): Expected a visible link named "Nowhere"; the page has "Terms". Controls in its frames cannot be used.',
    });
  });
});
