import type { TSchema } from 'typebox';
import * as Type from 'typebox';

/** A time such as `2026-01-15T10:30:00.000000Z`. */
export const timestamp = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$',
  description: 'UTC with six fraction digits.',
});

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const id = Type.Integer({ minimum: 1 });

export const strict = { additionalProperties: false } as const;

/** Pattern of an AAGUID as this project writes it: lower case, grouped 8-4-4-4-12. */
export const AAGUID_PATTERN = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
