import { join } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import { PERSONA_NAMES } from '../../authenticator/personas/personas.js';
import type { Call, EndedCeremony, SoftwareAnswer } from '../../browse/ceremony.js';
import { followBrowser, showPage } from '../../browse/follow.js';
import { launchBrowser } from '../../browse/launch.js';
import { asObject } from '../../kernel/json-value.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { keptInMemory } from '../answer/keeper.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { oneOf, parsed, path } from '../config/values.js';
import { PERSONAS_HELP } from '../credential/help.js';
import { addHelp, examples, remarks } from '../help.js';
import { chooseOutput, hasColour, type Io, print, say, stopped } from '../io.js';
import { printable, toJson } from '../output/printable.js';
import { softwareAnswers } from '../serve/software.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { writeBrowsed } from './document.js';
import { renderCeremony } from './line.js';

export function define(command: Command): void {
  command
    .option('--persona <name>', 'authenticator to imitate, see below (default: a plain one)')
    .option('--headless', 'start the browser without a window')
    .option('--browser <path>', 'browser to start (default: the first Chromium, Edge or Chrome for Testing that is found)')
    .option('--json', 'print one JSON document per ceremony');
  addHelp(
    command,
    remarks(
      'Starts a browser with a temporary profile, and opens URL. Its pages get their passkeys from a software authenticator, through an interface of Chromium: no script of the page can tell. Each ceremony is printed when the site has answered: its options linted, every step judged that can be judged from outside, and the answer of the site.',
      'Nothing is clicked, and no host is contacted but those of the pages. Browser and profile end with the command, and the command with the browser.',
      PERSONAS_HELP,
    ),
    examples(
      'passkey browse https://example.org',
      'passkey browse http://localhost:3000 --persona yubikey-5',
      'passkey browse http://localhost:3000 --headless --json',
    ),
  );
}

const address = parsed({
  placeholder: 'url',
  expects: 'the http or https URL of a page, such as http://localhost:3000',
  parse: (raw) => {
    const url = parseUrl(String(raw));
    return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
  },
});

/** `passkey browse URL`: runs until the browser ends, or until SIGINT or SIGTERM. */
export async function run(io: Io, flags: Flags, [given]: readonly string[]): Promise<void> {
  const url = readFlag(io, address, 'URL', given);
  const persona = flags.persona === undefined ? undefined : readFlag(io, oneOf(PERSONA_NAMES), '--persona', flags.persona);
  const browser = flags.browser === undefined ? undefined : readFlag(io, path('path'), '--browser', flags.browser);
  const stop = stopped(io.signals);
  const folder = await makeTemporaryFolder('browse');
  try {
    const devtools = await launchBrowser({
      browser,
      profile: join(folder.path, 'profile'),
      headless: flags.headless === true,
      env: io.env,
    });
    const software = softwareAnswers(keptInMemory());
    const answer = async ({ options, origin, crossOrigin, topOrigin }: Call): Promise<SoftwareAnswer> => {
      const asked = { options, origin, topOrigin, crossOrigin, persona };
      const nothing = { mediation: undefined, userVerification: undefined, credentialId: undefined, tamper: undefined };
      const { response } = asObject(await software.answer({ ...asked, ...nothing, findChallenge: () => undefined }));
      return { persona: persona ?? 'plain', tamper: null, response: asObject(response) };
    };
    const leave = await followBrowser(devtools, folder.path, { answer, now: io.now, onEnded: reporter(io, flags) });
    await showPage(devtools, url);
    say(io, printable(`passkey browse: ${url} in a browser of its own, as ${persona ?? 'a plain authenticator'}. Ctrl-C ends it.`));
    await Promise.race([stop, devtools.closed]);
    await leave();
    await devtools.closed;
  } finally {
    await folder.remove();
  }
}

function reporter(io: Io, { json }: Flags): (ceremony: EndedCeremony) => void {
  const paint = pc.createColors(hasColour(io, chooseOutput(io)));
  return (ceremony) => print(io, json === true ? toJson(writeBrowsed(ceremony)) : renderCeremony(ceremony, paint));
}
