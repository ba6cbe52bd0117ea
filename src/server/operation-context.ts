import type { FastifyRequest } from 'fastify';
import type { OperationContext } from '../relying-party/events.js';
import type { OwnerRef } from '../webauthn/user-handle.js';

/** Where an operation came from, for whoever watches the relying party. */
export function operationContext(request: FastifyRequest): OperationContext {
  const userAgent = request.headers['user-agent'];
  return {
    requestId: request.id,
    address: request.ip,
    via: request.routeOptions.url ?? request.method,
    ...(userAgent === undefined ? {} : { userAgent: userAgent.slice(0, 512) }),
  };
}

/** Who asks for a challenge: the owner where it is known, else the address. The oldest challenges of one client go first. */
export function ceremonyClient(request: FastifyRequest, owner?: OwnerRef): string {
  return owner === undefined ? request.ip : `${owner.type}:${owner.id}`;
}
