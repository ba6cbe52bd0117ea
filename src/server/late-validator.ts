import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import { VALIDATOR_OPTIONS } from './validation.js';

/**
 * Compiles the schema of a route with its first request. Fastify would compile all of them before the server listens, which takes longer
 * than everything else that it does until then.
 */
export function lateValidatorCompiler(): FastifySchemaCompiler<FastifySchema> {
  let ajv: Ajv | undefined;
  return ({ schema }) => {
    let validate: ValidateFunction | undefined;
    return (data: unknown) => {
      ajv ??= new Ajv(VALIDATOR_OPTIONS);
      validate ??= ajv.compile(schema);
      return validate(data) || { error: validate.errors ?? [] };
    };
  };
}

function refuse(): never {
  throw new TypeError('Expected the compilers that were set to be used.');
}

/** Keeps Fastify from loading compilers of its own, to be replaced by `setValidatorCompiler` and `setSerializerCompiler`. */
export const WITHOUT_COMPILERS = { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } };
