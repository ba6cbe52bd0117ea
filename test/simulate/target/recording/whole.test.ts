import { expect, test } from 'vitest';
import { profileFromHar } from '../../../../src/simulate/target/recording/profile-from-har.js';
import { startHankoFlow } from '../../../targets/hanko-flow.js';
import type { Target } from '../../../targets/http.js';
import { startKratos } from '../../../targets/kratos.js';
import { startPlainServer } from '../plain-server.js';
import { recordHankoFlow, recordKratos } from './record-flows.js';
import { recordChallenges, recordForms, recordGraphQl, recordPlain } from './record-pages.js';
import { startChallengeServer, startFormServer, startGraphQlServer } from './recorded-servers.js';
import type { RecordingBrowser } from './recording-browser.js';

const PAGE = 'http://localhost:5173';

test.each<[name: string, start: () => Promise<Target>, record: (url: string) => Promise<RecordingBrowser>]>([
  ['challenge', startChallengeServer, recordChallenges],
  ['forms', startFormServer, recordForms],
  ['graphql', startGraphQlServer, recordGraphQl],
  ['hanko', startHankoFlow, recordHankoFlow],
  ['kratos', startKratos, recordKratos],
  ['other-origin', () => startPlainServer(PAGE), (url) => recordPlain(url, PAGE)],
])('the whole profile of a recording stays as recorded: %s', async (name, start, record) => {
  const target = await start();
  try {
    const made = profileFromHar((await record(target.url)).har(), name);
    const text = JSON.stringify(made, null, 2).replaceAll(target.url, 'URL');
    await expect(`${text}\n`).toMatchFileSnapshot(`whole/${name}.txt`);
  } finally {
    await target.close();
  }
});
