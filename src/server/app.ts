import { randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import { type FastifyServerOptions, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { createAccessGuard } from './access.js';
import { answerUnknownRoutes } from './allowed-methods.js';
import type { App } from './app-instance.js';
import type { AppOptions } from './app-options.js';
import { readJsonBodies } from './body.js';
import { logCeremonies } from './ceremony-log.js';
import { connectionOptions, countRequests } from './connections.js';
import { allowCrossOriginCalls } from './cross-origin.js';
import { answerErrorsAsProblems, sendProblem } from './error-handler.js';
import { checkHosts } from './hosts.js';
import { describeRoutes } from './openapi.js';
import { limitPublicRoutes } from './rate-limit.js';
import { addDevelopmentRoutes } from './routes/development.js';
import { addFidoRoutes } from './routes/fido.js';
import { addHealthRoute } from './routes/health.js';
import { addLoginRoutes } from './routes/login.js';
import { addPageRoutes } from './routes/page.js';
import { addPasskeyRoutes } from './routes/passkeys.js';
import { addRegisterRoutes } from './routes/register.js';
import { addSessionRoutes } from './routes/session.js';
import { addVerifyRoutes } from './routes/verify.js';
import { addSecurityHeaders } from './security-headers.js';
import { VALIDATOR_OPTIONS } from './validation.js';

/**
 * The whole HTTP service, ready for `inject()` or for `listen` of listen.js; it opens no port itself. Closing it leaves the
 * store and the relying party as they are.
 */
export async function buildApp(options: AppOptions): Promise<App> {
  const { settings, logger, relyingParty } = options;
  const app: App = fastify(fastifyOptions(options));

  // Node would keep the first 1,000 header fields and drop what follows, a proxy's among them; their size has a limit of its own (16 KB).
  app.server.maxHeadersCount = 0;
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  if (options.validatorCompiler !== undefined) app.setValidatorCompiler(options.validatorCompiler);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, ip } = request;
    const { statusCode, elapsedTime } = reply;
    request.log.debug({ method, route: routeOptions.url, status: statusCode, ms: Math.round(elapsedTime), address: ip }, 'request');
  });
  const drain = countRequests(app);
  answerErrorsAsProblems(app, settings);
  const answerUnknownRoute = answerUnknownRoutes(app);
  await addSecurityHeaders(app, settings);
  checkHosts(app, settings);
  await allowCrossOriginCalls(app, settings);
  app.addHook('onRequest', answerUnknownRoute);
  await app.register(cookie);
  readJsonBodies(app);
  const publicRoute = await limitPublicRoutes(app, settings);
  await describeRoutes(app, settings, options.version ?? '0.0.0');

  const guard = createAccessGuard(options);
  addRegisterRoutes(app, options, guard);
  addVerifyRoutes(app, options, publicRoute);
  addLoginRoutes(app, options, publicRoute);
  addPasskeyRoutes(app, options, guard);
  addSessionRoutes(app, options, guard);
  addHealthRoute(app, options);
  if (settings.mode === 'development') {
    addDevelopmentRoutes(app, options, guard);
    if (options.page !== undefined) addPageRoutes(app, options.page);
    if (settings.fidoApi) {
      await addFidoRoutes(app, options);
    }
  }

  app.addHook('preClose', drain);

  if (logger !== false) {
    const stop = logCeremonies(relyingParty, logger);
    app.addHook('onClose', async () => stop());
  }
  return app;
}

function fastifyOptions({ settings, logger }: AppOptions): FastifyServerOptions {
  const production = settings.mode === 'production';
  return {
    ...(logger === false ? { logger: false } : loggerOptions(logger)),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: settings.bodyLimit,
    // Only the nearest proxy is believed: what stands before it in X-Forwarded-For, the client may have written itself.
    trustProxy: settings.trustProxy ? (_address, hop) => hop === 0 : false,
    requestIdHeader: false,
    genReqId: ({ headers }) => acceptableRequestId(headers['x-request-id']) ?? randomUUID(),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendProblem(error, request, reply, production);
    },
    ajv: { customOptions: VALIDATOR_OPTIONS },
    ...connectionOptions(production),
  };
}

/** Fastify's own news, such as where it listens, is for whoever looks for a fault; requests log to the given logger itself. */
function loggerOptions(logger: Logger): Pick<FastifyServerOptions, 'loggerInstance' | 'childLoggerFactory'> {
  const terse = logger.isLevelEnabled('info') && !logger.isLevelEnabled('debug');
  return {
    loggerInstance: terse ? logger.child({}, { level: 'warn' }) : logger,
    childLoggerFactory: (_own, bindings, options) => logger.child(bindings, options),
  };
}

/** A request id that the caller chose is kept when it can do no harm in a log line. */
function acceptableRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.-]{1,64}$/.test(header) ? header : undefined;
}
