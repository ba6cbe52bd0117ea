import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { schemas } from '../../src/cli/schemas.js';
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
