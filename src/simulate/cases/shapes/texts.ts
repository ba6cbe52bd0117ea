import { asObject, type JsonObject } from '../../../kernel/json-value.js';
import { type Case, withTag } from '../../engine/case.js';
import { setInner, setMembers } from '../../engine/edits.js';
import { bothFlows } from '../../engine/flows.js';
import { ACCEPTED, refused } from '../../engine/outcome.js';
import { notApplicable } from '../../engine/scenario.js';
import { bothVariants, type Variant, variantsCase } from '../../engine/variants.js';

const isJson = (text: string): boolean => /^\s*[{[]/.test(text);

/** Cases whose request body is JSON that breaks off in the middle. */
export const MALFORMED_BODIES: readonly Case[] = bothFlows({
  what: 'body-cut',
  title: 'a body whose JSON ends in the middle',
  why: 'Any client can send this. An uncaught parser error fills logs, raises alarms and may end the process. Answer 400.',
  expected: refused('malformed_json', undefined, 400),
  async run({ ready }) {
    const attempt = await ready();
    let cut = false;
    const forged = attempt.session.forging((request) => {
      if (typeof request.body !== 'string' || !isJson(request.body)) return request;
      cut = true;
      return { ...request, body: request.body.slice(0, request.body.length / 2) };
    });
    const answer = await attempt.send(forged);
    if (!cut) throw notApplicable('the profile sends no JSON to the target');
    return answer;
  },
});

const INVALID = refused('validation_failed');

/** Malformed encodings of a base64url member. Decoders differ in how much they tolerate. */
const WRITINGS: readonly (readonly [name: string, edit: (text: string) => string])[] = [
  ['a line break within', (text) => `${text.slice(0, 8)}\r\n${text.slice(8)}`],
  ['a space before and after', (text) => ` ${text} `],
  ['U+0000 at the end', (text) => `${text}\u0000`],
  ['a lone surrogate at the end', (text) => `${text}\ud800`],
  ['a padding sign within', (text) => `${text.slice(0, 8)}=${text.slice(8)}`],
  ['five padding signs', (text) => `${text}=====`],
];

function rewritten(members: readonly string[], inner: boolean): Variant[] {
  return WRITINGS.map(([name, edit]) => ({
    name: `${members.join(' and ')}: ${name}`,
    edits: {
      response(response: JsonObject) {
        const from = inner ? asObject(response['response']) : response;
        const changed = Object.fromEntries(members.map((member) => [member, edit(String(from[member]))]));
        return inner ? setInner(changed)(response) : setMembers(changed)(response);
      },
    },
  }));
}

const WRITING = {
  title: 'base64url with line breaks, spaces, U+0000 or stray padding',
  why: 'You may refuse or tolerate such strings, but a decoder that throws must not cause a 5xx.',
  open: true,
  expected: INVALID,
} as const;

/** Nesting depth that overflows the stack of code that reads or copies JSON recursively. */
const LEVELS = 3_000;

const DEEP_VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ['arrays', JSON.parse(`${'['.repeat(LEVELS)}1${']'.repeat(LEVELS)}`)],
  ['objects', JSON.parse(`${'{"inner":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`)],
];

const DEEP: readonly Variant[] = DEEP_VALUES.flatMap(([name, value]) => [
  { name: `${LEVELS} ${name} in an unknown member`, edits: { response: setMembers({ further: value }) }, ours: ACCEPTED },
  { name: `${LEVELS} ${name} in clientExtensionResults`, edits: { response: setMembers({ clientExtensionResults: { further: value } }) } },
]);

/** Replaces the member `response` with an own property of the given name, such as `__proto__`, as JSON.parse would create it. */
function withOwn(name: string, value: unknown): (response: JsonObject) => JsonObject {
  return ({ response: _response, ...others }) => Object.defineProperty({ ...others }, name, { value, enumerable: true });
}

/** Credentials whose response is hidden in a prototype member. Only code that copies or merges objects carelessly finds it. */
const PROTOTYPE: readonly Variant[] = [
  { name: 'response in "__proto__"', body: (whole) => withOwn('__proto__', { response: whole['response'] })(whole) },
  {
    name: 'response in "constructor.prototype"',
    body: (whole) => withOwn('constructor', { prototype: { response: whole['response'] } })(whole),
  },
  {
    name: 'the members of response in its "__proto__"',
    body: (whole) => ({ ...whole, response: withOwn('__proto__', whole['response'])({}) }),
  },
];

const MEGABYTE = 'A'.repeat(2 ** 20);

/** Settings of cases with very long members. The target may refuse them for their length or for their content. */
const LONG = {
  title: 'a megabyte of text in a member',
  why: 'Limit the size of a body, to 64 kB for example, before you parse it: each body is held in memory and copied several times. Answer 413 or another 4xx.',
  oversized: true,
  expected: refused('payload_too_large', undefined, 413),
} as const;

const long = (members: JsonObject): Variant => ({
  name: `${Object.keys(members).join(' and ')}: 1 MB`,
  edits: { response: setMembers(members) },
});
const longInner = (member: string): Variant => ({ name: `${member}: 1 MB`, edits: { response: setInner({ [member]: MEGABYTE }) } });

export const MALFORMED_TEXTS: readonly Case[] = [
  variantsCase({
    ...WRITING,
    id: 'register.base64-malformed',
    variants: [...rewritten(['id', 'rawId'], false), ...rewritten(['clientDataJSON', 'attestationObject'], true)],
  }),
  variantsCase({
    ...WRITING,
    id: 'login.base64-malformed',
    variants: [...rewritten(['id', 'rawId'], false), ...rewritten(['clientDataJSON', 'authenticatorData', 'signature'], true)],
  }),
  ...bothVariants({
    what: 'deep-nesting',
    title: `members nested ${LEVELS} deep`,
    why: 'Code that copies, checks or writes JSON recursively overflows the stack, which causes a 5xx or ends the process. Limit the depth, or do not copy members that you do not read.',
    open: true,
    expected: INVALID,
    variants: DEEP,
  }),
  ...bothVariants({
    what: 'members-of-prototype',
    title: 'a credential whose response is only in a member called __proto__ or constructor',
    why: 'Code that merges request bodies and follows such names reads members from the prototype, and lets a sender change every object in the process. Copy only own members, into an object without a prototype.',
    expected: INVALID,
    variants: PROTOTYPE,
  }),
  variantsCase({ ...LONG, id: 'register.long-members', variants: [longInner('clientDataJSON'), longInner('attestationObject')] }),
  variantsCase({
    ...LONG,
    id: 'login.long-members',
    variants: [long({ id: MEGABYTE, rawId: MEGABYTE }), longInner('signature')],
  }),
].map(withTag('shape'));
