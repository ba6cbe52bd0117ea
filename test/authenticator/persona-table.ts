import type { Persona } from '../../src/authenticator/personas/persona.js';
import { KNOWN_PERSONAS, PERSONA_NAMES } from '../../src/authenticator/personas/personas.js';
import { formatAaguid } from '../../src/webauthn/aaguid.js';
import { algorithmName } from '../../src/webauthn/algorithms.js';

const COLUMNS = [
  'Persona',
  'What it is',
  'AAGUID',
  'Algorithms',
  'Attestation',
  'Transports',
  'BE/BS',
  'Counter',
  'ID bytes',
  'Extensions',
  'Quirks',
  'Evidence',
];
const ZEROS = formatAaguid(new Uint8Array(16));
const code = (text: string) => `\`${text}\``;
const listed = (items: readonly string[]) => items.join(', ') || 'none';

function evidenceOf({ evidence }: Persona): string {
  const from = evidence.kind === 'recorded' ? 'recorded' : 'from documentation';
  const sources = evidence.sources.map((source) => (source.endsWith('.json') ? code(source) : `<${source}>`)).join(', ');
  const guess = evidence.assumed?.length ? `; assumed: ${evidence.assumed.join(', ')}` : '';
  return `${from}, ${evidence.date}: ${sources}${guess}`;
}

function rowOf(name: string, persona: Persona): string {
  const {
    aaguid,
    algorithms = [],
    attestation = 'none',
    transports = [],
    backupEligible,
    backupState,
    signCount,
    ...others
  } = persona.options;
  const cells = [
    code(name),
    persona.about,
    code(aaguid ? formatAaguid(aaguid) : ZEROS),
    listed(algorithms.map(algorithmName)),
    code(String(attestation)),
    listed(transports),
    `${backupEligible ? 1 : 0}/${backupState ? 1 : 0}`,
    `${signCount?.kind ?? 'zero'}${signCount?.start ? ` from ${signCount.start}` : ''}`,
    String(others.credentialIdLength),
    listed(others.extensions ?? []),
    listed(persona.quirks),
    evidenceOf(persona),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The table of `docs/personas.md`. To print it: `node --import tsx -e "import('./test/authenticator/persona-table.ts').then((m) => console.log(m.personaTable()))"`. */
export function personaTable(): string {
  const head = [`| ${COLUMNS.join(' | ')} |`, `|${' --- |'.repeat(COLUMNS.length)}`];
  return [...head, ...PERSONA_NAMES.map((name) => rowOf(name, KNOWN_PERSONAS[name]))].join('\n');
}
