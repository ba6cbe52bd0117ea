import type { Static } from 'typebox';
import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';

const ControlSchema = Type.Object(
  {
    role: Type.String({ description: 'its ARIA role, e.g. "button" or "textbox"' }),
    name: Type.String({ description: 'its whole accessible name' }),
  },
  { ...strict, description: 'a control of the page' },
);

const StepSchema = Type.Union([
  Type.Object({ goto: Type.String({ description: 'a path, or a URL; a path begins at the address that is checked' }) }, strict),
  Type.Object(
    { fill: ControlSchema, value: Type.String({ description: '{n} stands for a number that differs from user to user' }) },
    strict,
  ),
  Type.Object({ click: ControlSchema }, strict),
  Type.Object(
    { waitFor: Type.Union([ControlSchema, Type.Object({ url: Type.String({ description: 'how the address ends' }) }, strict)]) },
    strict,
  ),
]);

/**
 * The steps of a user until the page calls `navigator.credentials`. The last click is the trigger of this call; steps after it wait for a
 * success.
 */
const flowSchema = Type.Array(StepSchema, { minItems: 1 });

/** Schema of the flows of a page, and of the file given to `passkey browse --flow`. */
export const flowsSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    register: flowSchema,
    login: flowSchema,
    remove: Type.Optional(flowSchema),
    rename: Type.Optional(flowSchema),
    password: Type.Optional(flowSchema),
  },
  { ...strict, title: 'The flows of a page, for passkey browse --check --flow' },
);

export type FlowName = Exclude<keyof Static<typeof flowsSchema>, '$schema'>;

export type Control = Static<typeof ControlSchema>;
export type Step = Static<typeof StepSchema>;
/** Steps in a page; the last click is the trigger. */
export type Flow = Static<typeof flowSchema>;
/** The flows of a page, each in a form that the driver can play. */
export type Flows<Playable = Flow> = { readonly [Name in 'register' | 'login']: Playable } & {
  readonly [Name in Exclude<FlowName, 'register' | 'login'>]?: Playable;
};
