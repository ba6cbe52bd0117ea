import * as Type from 'typebox';
import { orNull, strict } from '../kernel/schema-kit.js';
import { SEVERITY_NAMES } from '../simulate/report/severity.js';

const severity = Type.Enum([...SEVERITY_NAMES]);

const section = Type.Object(
  { name: Type.String({ description: 'Such as §7.1 step 9.' }), url: Type.String({ description: 'With the anchor of the section.' }) },
  strict,
);

/** Members that every entry of the vocabulary has. */
const entry = {
  id: Type.String({ description: 'Stable: no later version drops it, or uses it for anything else.' }),
  sentence: Type.String({ description: 'What went wrong.' }),
  sections: Type.Array(section, { description: 'Places of the standard.' }),
  remedy: orNull(Type.String({ description: 'What to change.' })),
  severity: orNull({ ...severity, description: 'Of a server that does not check this; null where no case shows it.' }),
  cwe: Type.Array(Type.String({ pattern: '^CWE-\\d+$' })),
  references: Type.Array(Type.String({ description: 'Other entries for auditors, such as ASVS 6.7.2.' })),
};

const texts = (description: string) => Type.Array(Type.String(), { description });

/** Schema of `passkey-cli/vocabulary.json`. */
export const vocabularySchema = Type.Object(
  {
    format: Type.Literal('passkey-vocabulary'),
    version: Type.Literal(1),
    package: Type.String({ description: 'Version of passkey-cli.' }),
    revision: Type.String({ description: 'Of the standard, whose numbers the steps have.' }),
    severities: Type.Array(severity, { description: 'The worst first.' }),
    errors: Type.Array(
      Type.Object(
        {
          ...entry,
          reasons: texts('Why it happens to users who mean well, the likeliest first.'),
          status: Type.Integer({ description: 'HTTP status at a registration. That of a refused login is 401.' }),
          exit: Type.Integer({ description: 'Exit code of a command that ends with it.' }),
          steps: texts('Steps that refuse with this code.'),
          causes: texts('Mistakes of servers that accept what this code refuses, the closest first.'),
        },
        strict,
      ),
      { description: 'Codes of refusals and of other errors.' },
    ),
    steps: Type.Array(
      Type.Object(
        {
          ...entry,
          rule: Type.String({ description: 'What holds where it passes.' }),
          errors: texts('Codes that it refuses with.'),
          causes: texts('Mistakes of servers that leave it out, the closest first.'),
          options: Type.Record(Type.String(), Type.String(), { description: 'Options or calls of libraries that check it, by library.' }),
        },
        strict,
      ),
      { description: 'Steps of §7.1 (registration) and §7.2 (authentication) by their names, which stay when numbers move.' },
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
