import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { schemas } from '../../src/cli/schemas.js';
import { asObject } from '../../src/kernel/json-value.js';
import { seedCredentials } from './seeded-credentials.js';
import { seeded } from './seeded-store.js';

describe('the JSON Schemas that ship', () => {
  const rows: [name: string, argv: string[]][] = [
    ['list', ['list', '--all', '--json']],
    ['show', ['show', '3', '--json']],
    ['revoke', ['revoke', '1', '--yes', '--json']],
    ['restore', ['restore', '3', '--json']],
    ['purge', ['purge', '--older-than', '1s', '--dry-run', '--json']],
    ['credential-create', ['credential', 'create', '--user', 'User:1', '--json']],
    ['credential-answer', ['credential', 'answer', 'options.json', '--origin', 'https://example.org', '--json']],
    ['credential-list', ['credential', 'list', '--json']],
    ['credential-remove', ['credential', 'remove', 'AQID', '--dry-run', '--json']],
    ['credential-convert', ['credential', 'convert', '--to', 'devtools', '--json']],
    ['user-add', ['user', 'add', '--email', 'c@d.test', '--name', 'C', '--json']],
    ['user-list', ['user', 'list', '--json']],
    ['user-show', ['user', 'show', 'Admin:1', '--json']],
    ['user-remove', ['user', 'remove', 'User:1', '--yes', '--json']],
    ['token-create', ['token', 'create', '--user', 'User:1', '--json']],
    ['token-list', ['token', 'list', '--json']],
    ['audit', ['audit', '--json']],
    ['store-check', ['store', 'check', '--json']],
    ['store-export', ['store', 'export', '--out', 'x.jsonl', '--json']],
    ['store-import', ['store', 'import', 'export.jsonl', '--store', 'new.json', '--json']],
    ['store-copy', ['store', 'copy', '.passkey/passkeys.jsonl', 'new.json', '--json']],
    ['store-backup', ['store', 'backup', '--json']],
    ['store-repair', ['store', 'repair', '--out', 'new.json', '--json']],
    ['token-revoke', ['token', 'revoke', '1', '--json']],
  ];
  test.each(rows)('%s fits what is printed', async (name, argv) => {
    const { cwd, passkey } = await seeded();
    await seedCredentials(cwd);
    await writeFile(join(cwd, 'options.json'), JSON.stringify({ challenge: '3q2-7wABAgMEBQYHCAkKCw', rpId: 'example.org' }));
    await passkey('token', 'create', '--user', 'Admin:1', '--expires', '1d', '--label', 'x');
    await passkey('store', 'export', '--out', 'export.jsonl');
    const { code, stdout } = await passkey(...argv);
    expect(code).toBe(0);
    const schema = schemas[name];
    expect(schema && [...Value.Errors(schema, JSON.parse(stdout))]).toStrictEqual([]);
  });
});

/** A schema in short, such as `{id: integer ≥1, label?: string | null}`; `, …` where other members may follow. */
function notate(schema: unknown): string {
  const { type, properties, required, items, anyOf, ...rules } = asObject(schema);
  const { description: _, title: __, additionalProperties, enum: values, minimum, maximum, ...others } = rules;
  const list = (all: unknown, between: string) => (Array.isArray(all) ? all.map(notate).join(between) : '');
  if (anyOf !== undefined) return list(anyOf, ' | ');
  if (Array.isArray(values)) return values.map((each) => JSON.stringify(each)).join(' | ');
  const bounds = `${minimum === undefined ? '' : ` ≥${String(minimum)}`}${maximum === undefined ? '' : ` ≤${String(maximum)}`}`;
  const more = Object.keys(others).length === 0 ? '' : ` ${JSON.stringify(others)}`;
  if (type === 'array') return `[${notate(items)}]${more}`;
  if (type !== 'object') return `${String(type ?? '')}${bounds}${more}`.trim();
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const members = Object.entries(asObject(properties)).map(
    ([name, member]) => `${name}${needed.includes(name) ? '' : '?'}: ${notate(member)}`,
  );
  const open = additionalProperties === false ? [] : [additionalProperties === undefined ? '…' : `[name]: ${notate(additionalProperties)}`];
  return `{${[...members, ...open].join(', ')}}${more}`;
}

test('the members of every document of the command line are recorded', async () => {
  const own = Object.entries(schemas).filter(([name]) => !name.startsWith('passkey-') || /config|credentials/.test(name));
  const lines = own.flatMap(([name, schema]) => {
    const { items, ...whole } = asObject(schema);
    const [kind, row] = items === undefined ? ['', whole] : [' a list', asObject(items)];
    const { properties, required, ...rest } = row;
    const members = Object.entries(asObject(properties)).map(([member, each]) => {
      const isNeeded = Array.isArray(required) && required.includes(member);
      return `  ${member}${isNeeded ? '' : '?'}: ${member === 'explanation' ? '…' : notate(each)}`;
    });
    return name === 'explain' ? [] : [`${name}:${kind} ${notate({ ...rest, properties: {} })}`, ...members];
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('schemas.txt');
});
