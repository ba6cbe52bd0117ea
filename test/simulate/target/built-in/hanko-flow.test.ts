import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDriver } from '../../../../src/simulate/target/open-driver.js';
import { readProfile } from '../../../../src/simulate/target/read-profile.js';
import { tempFolder } from '../../../cli/temp-folder.js';
import { type HankoFlowSettings, startHankoFlow } from '../../../targets/hanko-flow.js';
import { userOf } from '../small-server.js';

async function start(settings: HankoFlowSettings) {
  const target = await startHankoFlow(settings);
  onTestFinished(() => target.close());
  const profile = await readProfile('hanko-flow', '.');
  const open = (variables: Readonly<Record<string, string>>) => {
    const driver = openDriver({ profile, url: target.url, variables, env: process.env });
    onTestFinished(() => driver.close());
    return driver;
  };
  return { url: target.url, open };
}

test('a credential that it cannot parse, which it answers with 500, is refused', async () => {
  const { open } = await start({});
  const session = await userOf(open({}));
  await session.beginRegistration();
  const answer = await session.finishRegistration({ id: 'AAAA' });
  expect(answer).toMatchObject({ outcome: 'refused', exchanges: [{ status: 500 }] });
});

// The command is a script with a first line that names its interpreter.
test.skipIf(process.platform === 'win32')('a sign-up that confirms its e-mail takes the code from a command', async () => {
  const { url, open } = await start({ verification: true });
  const command = join(await tempFolder(), 'code');
  const printCode = `fetch('${url}/mailbox/' + process.argv[2]).then((answer) => answer.text()).then(console.log);`;
  await writeFile(command, `#!/usr/bin/env node\n${printCode}\n`, { mode: 0o755 });

  const session = await userOf(open({ passcode_command: command }));
  expect(await session.whoami()).toMatchObject({ outcome: 'accepted' });
  const mistaken = await open({ passcode_command: 'echo' }).openUser(1);
  expect(mistaken).toMatchObject({ outcome: 'refused', said: expect.stringContaining('passcode_invalid') });
});
