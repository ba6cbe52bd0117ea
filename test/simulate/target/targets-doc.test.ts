import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isObject } from '../../../src/kernel/json-value.js';
import { probe } from '../../../src/simulate/probe.js';
import { BUILT_IN_PROFILES } from '../../../src/simulate/target/built-in.js';
import { parseFilter } from '../../../src/simulate/target/filters.js';
import { compileJudgement, judge } from '../../../src/simulate/target/judge.js';
import { openDriver } from '../../../src/simulate/target/open-driver.js';
import { PHASES, targetProfileSchema } from '../../../src/simulate/target/profile-schema.js';
import { parseProfile, readProfile } from '../../../src/simulate/target/read-profile.js';
import { parseSource, type SourceAnswer } from '../../../src/simulate/target/source.js';
import { GIVEN } from '../../../src/simulate/target/variables.js';
import { startPlainServer } from './plain-server.js';
import { startChallengeServer } from './recording/recorded-servers.js';

const page = readFileSync(new URL('../../../docs/targets.md', import.meta.url), 'utf8');
const section = (title: string): string => page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? '';

/** The rows of the table below a heading such as `| Source |`, without the backquotes of their cells. */
function rows(text: string, heading: string, table = 0): string[][] {
  const [, , ...lines] = (text.split(`\n| ${heading} |`)[table + 1] ?? '').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(0, end === -1 ? undefined : end).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) =>
        cell
          .trim()
          .replace(/^`(.*)`$/, '$1')
          .replaceAll('\\|', '|'),
      ),
  );
}

/** What a block of HTTP shows. */
function answerOf(block: string): SourceAnswer {
  const [head = '', ...body] = block.split('\n\n');
  const [status = '', ...fields] = head.trim().split('\n');
  const text = body.join('\n\n').trim();
  const header = (name: string) => fields.find((field) => field.startsWith(`${name}: `))?.slice(name.length + 2);
  return {
    status: Number(status.split(' ')[1]),
    text,
    json: text.startsWith('{') ? JSON.parse(text) : undefined,
    header,
    cookie: (name) => new RegExp(`^${name}=([^;]*)`).exec(header('set-cookie') ?? '')?.[1],
    url: 'http://localhost:3000/page',
  };
}

/** The names that a message lists where it refuses another. */
function namesIn(refuse: () => unknown): string[] {
  try {
    refuse();
  } catch (error) {
    return /\((.+?)\)/.exec(String(error))?.[1]?.split(', ') ?? [];
  }
  return [];
}

const ANSWERS = [...section('Sources and filters').matchAll(/```http\n([^]*?)```/g)].map(([, block = '']) => answerOf(block));

describe('docs/targets.md', () => {
  test.each([
    { title: 'A server that sends only a challenge', start: startChallengeServer },
    { title: 'A whole profile', start: () => startPlainServer() },
  ])('has a profile that fits its server: $title', async ({ title, start }) => {
    const target = await start();
    const [text = ''] = section(title).match(/(?<=```json\n)[^]*?(?=```)/) ?? [];
    const profile = await parseProfile(text, 'shop.json');
    const driver = openDriver({ profile, url: target.url });
    const { steps, passed, found } = await probe({ driver, ...profile, url: target.url });
    driver.close();
    await target.close();
    expect(steps.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(passed).toBe(true);
    expect(profile.profile.has).toMatchObject({ ...found.has, algorithms: found.algorithms });
  });

  test('explains every member of a profile, every variable, source and filter', () => {
    const requests = targetProfileSchema.properties.register.items.properties;
    const has = targetProfileSchema.properties.has.properties;
    const named = (heading: string, text: string) => rows(text, heading).flatMap(([cell = '']) => cell.replaceAll('`', '').split(', '));
    expect(named('Member', section('Requests'))).toEqual(expect.arrayContaining(Object.keys(requests)));
    expect(named('Variable', section('Requests')).toSorted()).toEqual(GIVEN.toSorted());
    expect(named('Member', section('What the server has')).toSorted()).toEqual(Object.keys(has).toSorted());
    expect(named('List', section('A whole profile')).toSorted()).toEqual(PHASES.toSorted());
    const examples = section('A whole profile') + section('Accounts and recovery');
    expect(PHASES.filter((phase) => !examples.includes(`"${phase}": [`))).toEqual([]);
    expect(named('Policy', section('Accounts and recovery'))).toEqual(Object.keys(has.policy.properties));
    expect(
      named('Filter', section('Sources and filters'))
        .map((filter) => filter.split(' ')[0] ?? '')
        .toSorted(),
    ).toEqual(namesIn(() => parseFilter('?')).toSorted());
    const sources = [0, 1].flatMap((table) =>
      rows(section('Sources and filters'), 'Source', table).map(([source = '']) => source.split(' ')[0] ?? ''),
    );
    expect([...new Set(sources)].toSorted()).toEqual(namesIn(() => parseSource('?')).toSorted());
  });

  const sources = [0, 1].flatMap((table) =>
    rows(section('Sources and filters'), 'Source', table).map(([source = '', value = '']) => ({ table, source, value })),
  );
  test.each(sources)('$source is $value', async ({ table, source, value }) => {
    const answer = ANSWERS[table];
    expect(answer && (await parseSource(source).read(answer))).toEqual(JSON.parse(value));
  });

  const filters = rows(section('Sources and filters'), 'Filter').map(([filter = '', of = '', makes = '']) => ({ filter, of, makes }));
  test.each(filters)('$filter makes $makes of $of', ({ filter, of, makes }) => {
    const made = parseFilter(filter).apply(JSON.parse(of));
    expect(made instanceof Uint8Array ? [...made] : made).toEqual(JSON.parse(makes));
  });

  const conditions = rows(section('Accepted or refused'), 'Condition').map(([condition = '', holds = '']) => ({ condition, holds }));
  test.each(conditions)('$condition holds: $holds', async ({ condition, holds }) => {
    const [answer] = ANSWERS;
    const accept = compileJudgement(JSON.parse(condition), () => {});
    const judged = answer && (await judge({ accept, refuse: undefined }, answer, {}));
    expect(judged).toBe(holds === 'yes' ? 'accepted' : 'refused');
  });

  test('lists the built-in profiles as they describe themselves', async () => {
    const expected = await Promise.all(
      BUILT_IN_PROFILES.map(async (name) => {
        const { profile } = await readProfile(name, '.');
        const variables = isObject(profile.variables) ? Object.entries(profile.variables) : [];
        const shown = variables.map(([variable, value]) => `\`${variable}\`${value === '' ? '' : ` (\`${value}\`)`}`).join(', ');
        return `| \`${name}\` | ${profile.description ?? ''} | ${shown || 'none'} |`;
      }),
    );
    const [, , ...table] = section('Built-in profiles')
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('|'));
    expect(table).toEqual(expected);
  });
});
