import * as Type from 'typebox';
import { orNull, strict } from '../kernel/schema-kit.js';
import { SEVERITY_NAMES } from '../simulate/report/severity.js';

const severity = Type.Enum([...SEVERITY_NAMES]);

const section = Type.Object(
  {
    name: Type.String({ description: 'Number of the step, such as §7.1 step 9.' }),
    url: Type.String({ description: 'URL of the standard, with the anchor of the section.' }),
  },
  strict,
);

/** Members that every entry of the vocabulary has. */
const entry = {
  id: Type.String({ description: 'Stable identifier: no later version removes it, or uses it for anything else.' }),
  sentence: Type.String({ description: 'What went wrong.' }),
  sections: Type.Array(section, { description: 'Sections of the standard.' }),
  remedy: orNull(Type.String({ description: 'What to change.' })),
  severity: orNull({ ...severity, description: 'Severity of the finding if a server makes this mistake; null if no case tests for it.' }),
  cwe: Type.Array(Type.String({ pattern: '^CWE-\\d+$' })),
  references: Type.Array(Type.String({ description: 'Entries in other catalogues for auditors, such as ASVS 6.7.2.' })),
};

const texts = (description: string) => Type.Array(Type.String(), { description });

/** Schema of `passkey-cli/vocabulary.json`. */
export const vocabularySchema = Type.Object(
  {
    format: Type.Literal('passkey-vocabulary'),
    version: Type.Literal(1),
    package: Type.String({ description: 'Version of passkey-cli.' }),
    revision: Type.String({ description: 'Revision of the standard from which the step numbers come.' }),
    severities: Type.Array(severity, { description: 'Severities, the worst first.' }),
    errors: Type.Array(
      Type.Object(
        {
          ...entry,
          reasons: texts('Common causes in correct use, the likeliest first.'),
          status: Type.Integer({ description: 'HTTP status at a registration. That of a refused login is 401.' }),
          exit: Type.Integer({ description: 'Exit code of a command that ends with this error.' }),
          steps: texts('Steps that refuse a ceremony with this code.'),
          causes: texts('Mistakes of servers that accept what this code refuses, the closest first.'),
        },
        strict,
      ),
      { description: 'Codes of refused ceremonies and of other errors.' },
    ),
    steps: Type.Array(
      Type.Object(
        {
          ...entry,
          rule: Type.String({ description: 'The condition that holds if the step passes.' }),
          errors: texts('Codes with which the step refuses a ceremony.'),
          causes: texts('Mistakes of servers that omit the step, the closest first.'),
          options: Type.Record(Type.String(), Type.String(), {
            description: 'Options or calls of libraries that perform the check, by library.',
          }),
        },
        strict,
      ),
      { description: 'Steps of §7.1 (registration) and §7.2 (authentication) by name. Names stay when the numbers change.' },
    ),
    causes: Type.Array(
      Type.Object(
        {
          ...entry,
          gain: orNull(Type.String({ description: 'What an attacker gains.' })),
          errors: texts('Codes with which a correct server refuses its cases.'),
          steps: texts('Steps that its cases test.'),
        },
        strict,
      ),
      { description: 'Mistakes of servers that passkey simulate finds.' },
    ),
  },
  {
    ...strict,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:passkey:schema:passkey-vocabulary-1',
    title: 'The vocabulary of passkey-cli, version 1',
  },
);
