// In place of @fastify/type-provider-typebox, whose types concern only those who write the routes of this package.
import type { FastifyTypeProvider } from 'fastify';

export type TypeBoxTypeProvider = FastifyTypeProvider;
