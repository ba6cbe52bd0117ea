import type { Fixture } from '../../fixture/format.js';
import { checkFixture } from '../../fixture/read.js';
import type { JsonObject } from '../../kernel/json-value.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { KIND_NAMES } from '../annotate/kinds.js';
import type { ReadCredential } from '../annotate/read-credential.js';
import { recognise } from '../annotate/recognise.js';
import { encodeRecognised, type Input } from '../explain.js';

/** A credential found in an input, and facts about its origin. */
export interface CredentialPart {
  readonly source: string;
  readonly kind: CeremonyKind;
  readonly credential: ReadCredential;
  readonly origin: string | undefined;
  /** Time of the request with the credential, in milliseconds since the epoch. */
  readonly at: number | undefined;
  readonly mediation: 'conditional' | undefined;
}

/** An options dictionary found in an input. */
export interface OptionsPart {
  readonly source: string;
  readonly kind: CeremonyKind;
  readonly json: JsonObject;
  /** Time at which the page requested the options, in milliseconds since the epoch. */
  readonly at: number | undefined;
}

/** Credentials and options found in the inputs, in order. */
export interface Parts {
  readonly credentials: (CredentialPart | { readonly source: string; readonly fixture: Fixture })[];
  readonly options: OptionsPart[];
}

/**
 * Adds the contents of an input: a credential, options, a fixture, or the ceremonies of an HTTP archive or of a run of the test page.
 *
 * @throws PasskeyError `validation_failed` or `fixture_invalid` if the input is none of these.
 * @returns a remark if the input contains no part of a ceremony.
 */
export function addParts({ credentials, options }: Parts, { name: source, bytes }: Input): string | undefined {
  const recognised = recognise(bytes, source);
  const { kind } = recognised;
  switch (kind) {
    case 'registration':
    case 'authentication':
      credentials.push({ source, kind, credential: recognised.credential, origin: undefined, at: undefined, mediation: undefined });
      return undefined;
    case 'creation-options':
    case 'request-options':
      options.push({ source, kind: CEREMONY_OF[kind], json: recognised.json, at: undefined });
      return undefined;
    case 'fixture':
      credentials.push({ source, fixture: checkFixture(recognised.json, { source, text: () => encodeRecognised(recognised, bytes) }) });
      return undefined;
    case 'har':
    case 'page-run':
    case 'messages': {
      for (const { found, at, origin, url, mediation } of recognised.findings) {
        if (found.kind === 'registration' || found.kind === 'authentication') {
          const { kind: ceremony, credential } = found;
          credentials.push({ source, kind: ceremony, credential, origin: origin ?? parseUrl(url)?.origin, at, mediation });
        } else if (found.kind === 'creation-options' || found.kind === 'request-options') {
          options.push({ source, kind: CEREMONY_OF[found.kind], json: found.json, at });
        }
      }
      return recognised.findings.length > 0 ? undefined : `no credential and no options in this ${KIND_NAMES[kind]}`;
    }
    default:
      return `${KIND_NAMES[kind]} alone, without its credential`;
  }
}

const CEREMONY_OF = { 'creation-options': 'registration', 'request-options': 'authentication' } as const;
