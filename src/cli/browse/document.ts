import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { EndedCeremony } from '../../browse/ceremony.js';
import { explanation } from '../../explain/document-schema.js';
import { withoutContents, withoutSecrets } from '../../fixture/response.js';
import { orNull, strict, timestamp } from '../../kernel/schema-kit.js';
import { formatTimestamp } from '../../kernel/wording.js';
import { CEREMONIES } from '../../webauthn/enumerations.js';

export const browsed = Type.Object(
  {
    at: timestamp,
    ceremony: Type.Enum(CEREMONIES),
    origin: Type.String(),
    cross_origin: Type.Boolean({ description: 'Whether the page is a frame with an ancestor of another origin.' }),
    autofill: Type.Boolean({ description: 'Whether the call was conditional: the user picked the passkey from autofill.' }),
    persona: orNull(
      Type.String({
        description:
          'The persona that responded; plain: a software authenticator without a persona. Null: a real authenticator responded, or none.',
      }),
    ),
    tamper: orNull(Type.String({ description: 'ID of the mutation that broke the response.' })),
    options: Type.Object({}, { description: 'The options as the browser completes them.' }),
    response: orNull(
      Type.Object({}, { description: 'RegistrationResponseJSON or AuthenticationResponseJSON; with --tamper it may be neither.' }),
    ),
    error: orNull(
      Type.Object({ name: Type.String(), message: Type.String() }, { ...strict, description: 'The exception that the page got.' }),
    ),
    request: orNull(
      Type.Object(
        { method: Type.String(), url: Type.String({ description: 'URL without user, password, fragment and the values of its query.' }) },
        { ...strict, description: 'The HTTP request with which the page sent the response.' },
      ),
    ),
    explanation,
  },
  { ...strict, title: 'One line of passkey browse --json' },
);

type BrowsedLine = Static<typeof browsed>;

export function writeBrowsed(ceremony: EndedCeremony): BrowsedLine {
  const { at, kind, origin, crossOrigin, isConditional, persona, tamper, options, response, error, exchange } = ceremony;
  // A challenge that no server has seen again is still good.
  const { challenge: _, ...unanswered } = options;
  return {
    at: formatTimestamp(at),
    ceremony: kind,
    origin,
    cross_origin: crossOrigin,
    autofill: isConditional,
    persona,
    tamper,
    options: withoutContents(exchange === undefined ? unanswered : options),
    response: response === undefined ? null : withoutSecrets(response),
    error: error ?? null,
    request: exchange === undefined ? null : { method: exchange.method, url: exchange.url },
    explanation: ceremony.explanation,
  };
}
