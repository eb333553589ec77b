import type { Logger } from 'pino';
import { PROBLEM_CONTENT_TYPE, type Problem } from '../../contract/problem.ts';
import { Refusal } from '../domain/refusal.ts';
import { isStorageFull } from '../store/storageFull.ts';
import type { App, RequestContext } from './app.ts';
import { ADDRESS_PATHS } from './route.ts';

/*
 * How errors are written (interface document, Errors): problem+json, one message on the v1 API, and plain JSON where workers and jobs
 * are concerned. The queue answers as a failed job does, but without an id: there is no such job, and clients that find one would
 * take it for a job that has ended.
 */

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  507: 'Insufficient Storage',
};

/** Prefix of the worker protocol. */
export const WORKER_PATH = '/worker/v2';

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
const isPlain = (path: string): boolean =>
  [ADDRESS_PATHS.queueUrl, WORKER_PATH, '/endpoints'].some((prefix) => isBelow(path, prefix));

/** The v1 API says what is wrong in one text (facts, section 8). */
const isLegacy = (path: string): boolean => path.startsWith('/v1/');

export function errorResponse(context: RequestContext, answer: ErrorAnswer): Response {
  const { body, type } = errorBody(context.req.path, answer);
  return new Response(body, { status: answer.status, headers: { 'Content-Type': type, ...answer.headers } });
}

/** How an error is written at that path. */
export function errorBody(path: string, { status, detail, errors = [] }: ErrorAnswer): { body: string; type: string } {
  if (isLegacy(path)) {
    const message = [detail, ...errors.slice(1)].join('; ');
    return { body: JSON.stringify({ message }), type: 'application/json' };
  }
  const listed = errors.length > 0 ? { errors: [...errors] } : {};
  if (isPlain(path)) {
    const failed = isBelow(path, ADDRESS_PATHS.queueUrl) ? { status: 'FAILED' } : {};
    return { body: JSON.stringify({ ...failed, error: detail, ...listed }), type: 'application/json' };
  }
  const problem: Problem = { title: TITLES[status] ?? 'Error', status, detail, ...listed };
  return { body: JSON.stringify(problem), type: PROBLEM_CONTENT_TYPE };
}

interface ErrorAnswer {
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Answers what no route answered: refusals, failures of our own (logged, and told to nobody else), wrong methods and unknown paths. Called
 * when all routes are registered.
 */
export function answerErrors(app: App, log: Logger): void {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    methods.set(path, (methods.get(path) ?? new Set()).add(method));
  }
  for (const [path, allowed] of methods) {
    const Allow = [...allowed].join(', ');
    const detail = 'The requested method is not allowed for this path.';
    app.all(path, (context) => errorResponse(context, { status: 405, detail, headers: { Allow } }));
  }
  app.notFound((context) => errorResponse(context, { status: 404, detail: 'no such path' }));
  app.onError((error, context) => {
    if (error instanceof Refusal) {
      const { status, message, errors, headers } = error;
      return errorResponse(context, { status, detail: message, errors, headers });
    }
    if (isStorageFull(error)) {
      log.error({ err: error, path: context.req.path }, 'nothing can be written');
      const detail = 'the platform cannot write its data, the disk is full; make room and try again';
      return errorResponse(context, { status: 507, detail });
    }
    log.error({ err: error, method: context.req.method, path: context.req.path }, 'request failed');
    return errorResponse(context, { status: 500, detail: 'the platform failed to answer; its log says why' });
  });
}
