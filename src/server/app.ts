import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import {
  type FastifyHttpOptions,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { PasskeyError } from '../errors.js';
import { createAccessGuard } from './access.js';
import { answerUnknownRoutes } from './allowed-methods.js';
import { boundBodies, readJsonBodies } from './body.js';
import { logCeremonies } from './ceremony-log.js';
import { readAddress } from './client-address.js';
import { connectionOptions, watchConnections } from './connections.js';
import { createFrontEnd } from './front-end/front-end.js';
import type { App, AppOptions } from './options.js';
import { allowCrossOriginCalls, checkHosts } from './origins.js';
import { answerErrorsAsProblems, type ProblemStyle, sendProblem } from './problem.js';
import { limitRates } from './rate-limit.js';
import { addMistake } from './request-mistakes.js';
import { addLoginRoutes, addVerifyRoutes } from './routes/authentication.js';
import { addDevelopmentRoutes } from './routes/development.js';
import { addFidoRoutes } from './routes/fido.js';
import { addHealthRoute, describeRoutes } from './routes/operation.js';
import { addDocsRoute, addPageRoutes } from './routes/page.js';
import { addPasskeyRoutes } from './routes/passkeys.js';
import { addRegisterRoutes } from './routes/register.js';
import { addSessionRoutes } from './routes/session.js';
import { addWellKnownRoutes } from './routes/well-known.js';
import { answerAsScripted } from './scripted-answers.js';
import { docsPath, type ServerSettings } from './settings.js';
import { shortenSecrets } from './stream/entry.js';
import { followSite } from './stream/outside.js';
import { Stream, type StreamOptions } from './stream/stream.js';
import { watchAnswers, watchProblems } from './stream/watch.js';
import { compileWithFirstRequest, WITHOUT_COMPILERS } from './validation.js';

const LOGGED_PATH = 200;

const writeAsJson = () => JSON.stringify;

/**
 * Builds the whole HTTP service. It opens no port by itself: call `inject()` or `listen` on the result. When the service is closed, the
 * store and the relying party stay open.
 */
export async function buildApp(options: AppOptions): Promise<App> {
  const { settings, logger, relyingParty } = options;
  const app: App = fastify(fastifyOptions(options));

  // By default Node keeps the first 1,000 header fields and drops the rest, which may be a proxy's. Their size is limited to 16 KB anyway.
  app.server.maxHeadersCount = 0;
  app.setSerializerCompiler(writeAsJson);
  app.setValidatorCompiler(compileWithFirstRequest);
  const securityHeaders = Object.entries(makeSecurityHeaders(settings));
  app.addHook('onRequest', (request, reply, done) => {
    // Answers hold challenges, tokens and personal data.
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store' });
    for (const [name, value] of securityHeaders) reply.raw.setHeader(name, value);
    done();
  });
  if (logger !== false && logger.isLevelEnabled('debug')) {
    app.addHook('onResponse', (request, reply, done) => {
      logRequest(request, reply);
      done();
    });
  }
  const problemStyle = chooseProblemStyle(options);
  const { production } = problemStyle;
  const stream = production || options.stream === false ? undefined : new Stream(streamOptions(options));
  const watch = stream && watchProblems(stream);
  const refine = production ? undefined : (error: PasskeyError, request: FastifyRequest) => addMistake(error, request, settings);
  answerErrorsAsProblems(app, { ...problemStyle, refine, onProblem: watch?.onProblem });
  const answerUnknownRoute = answerUnknownRoutes(app, createFrontEnd(app, settings));
  const drain = watchConnections(app, settings, problemStyle);
  checkHosts(app, settings);
  await allowCrossOriginCalls(app, settings);
  app.addHook('onRequest', answerUnknownRoute);
  boundBodies(app);
  readJsonBodies(app);
  const limits = await limitRates(app, options);
  describeRoutes(app, settings, options.version ?? '0.0.0');

  const guard = createAccessGuard(options);
  const scripted = production ? undefined : answerAsScripted(app, (request) => stream?.scripted(request));
  addRegisterRoutes(app, options, { guard, limits });
  addVerifyRoutes(app, options, limits.publicRoute);
  addLoginRoutes(app, options, { guard, publicRoute: limits.publicRoute });
  addPasskeyRoutes(app, options, guard);
  addSessionRoutes(app, options, guard);
  addHealthRoute(app, options);
  if (settings.wellKnown !== undefined) addWellKnownRoutes(app, settings.wellKnown);
  if (scripted !== undefined) {
    if (stream !== undefined) watchAnswers(app, stream);
    if (stream !== undefined && options.site !== undefined) followSite(options.site, stream.book);
    addDevelopmentRoutes(app, options, { guard, stream, scripted });
    if (options.page !== undefined) addPageRoutes(app, options.page, settings);
    if (options.docs !== undefined) addDocsRoute(app, options.docs, settings);
    if (settings.fidoApi) {
      await addFidoRoutes(app, options, watch?.onFidoProblem);
    }
  }

  app.addHook('preClose', drain);

  if (logger !== false) {
    const stop = logCeremonies(relyingParty, logger);
    app.addHook('onClose', async () => stop());
  }
  return app;
}

function streamOptions({ relyingParty, accounts, settings, now, others = {}, logger }: AppOptions): StreamOptions {
  const warn = (message: string) => (logger === false ? undefined : logger.warn(message));
  return {
    origins: [settings.origin, ...settings.origins],
    relyingParty,
    accounts,
    now,
    others,
    start: `${now().toString(36)}${randomUUID().slice(0, 4)}`,
    onDamage: warn,
    onForeignPage: warn,
  };
}

/** Logs a request at level debug. Leaves out the query string, which may hold a key or a token. */
function logRequest(request: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): void {
  const { method, url, routeOptions } = request;
  const [path = ''] = url.split('?');
  const route = request.is404 ? {} : { route: routeOptions.url };
  request.log.debug(
    {
      method,
      path: shortenSecrets(path).slice(0, LOGGED_PATH),
      ...route,
      status: statusCode,
      ms: Math.round(elapsedTime),
      address: readAddress(request),
    },
    'request',
  );
}

/**
 * Makes the security headers of API responses. Such a response is no document, so it may load nothing, and no page may frame it. The test
 * page has its own security policy.
 */
function makeSecurityHeaders({ origin }: Pick<ServerSettings, 'origin'>): Readonly<Record<string, string>> {
  return {
    'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    // With `no-referrer` the forms of the test page would send `Origin: null`.
    'referrer-policy': 'same-origin',
    ...(origin.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
  };
}

function chooseProblemStyle({ settings, docs }: AppOptions): ProblemStyle {
  const errorsPage = docs && `${settings.origin}${docsPath(settings)}/errors`;
  return { production: settings.mode === 'production', errorsPage };
}

function fastifyOptions(options: AppOptions): FastifyHttpOptions<Server> {
  const { settings, logger } = options;
  return {
    ...(logger === false ? { logger: false } : loggerOptions(logger)),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: settings.bodyLimit,
    // Only the nearest proxy is believed: the client may have written the earlier entries of X-Forwarded-For itself.
    trustProxy: settings.trustProxy ? (_address, hop) => hop === 0 : false,
    requestIdHeader: false,
    genReqId: ({ headers }) => acceptableRequestId(headers['x-request-id']) ?? randomUUID(),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendProblem(error, request, reply, chooseProblemStyle(options));
      // No hook runs for these.
      logRequest(request, reply);
    },
    schemaController: WITHOUT_COMPILERS,
    ...connectionOptions,
  };
}

/** Makes Fastify use the given logger. Fastify's own messages, such as where it listens, appear at level debug only. */
function loggerOptions(logger: Logger): Pick<FastifyServerOptions, 'loggerInstance' | 'childLoggerFactory'> {
  const terse = logger.isLevelEnabled('info') && !logger.isLevelEnabled('debug');
  return {
    loggerInstance: terse ? logger.child({}, { level: 'warn' }) : logger,
    childLoggerFactory: (_own, bindings, options) => logger.child(bindings, options),
  };
}

/** Accepts the request id that a caller sent, if it is harmless in a log line. */
function acceptableRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.-]{1,64}$/.test(header) ? header : undefined;
}
