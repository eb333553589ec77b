import type { Logger } from 'pino';
import { PROBLEM_CONTENT_TYPE, type Problem } from '../../contract/problem.ts';
import { Refusal } from '../domain/refusal.ts';
import { isStorageFull } from '../store/storageFull.ts';
import type { Answer } from '../http/answer.ts';
import type { Around } from '../http/app.ts';
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
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
};

/** Prefix of the worker protocol. */
export const WORKER_PATH = '/worker/v2';

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
const isPlain = (path: string): boolean =>
  [ADDRESS_PATHS.queueUrl, WORKER_PATH, '/endpoints'].some((prefix) => isBelow(path, prefix));

/** The v1 API says what is wrong in one text (facts, section 8). */
const isLegacy = (path: string): boolean => path.startsWith('/v1/');

function errorAnswer(path: string, answer: ErrorAnswer): Answer {
  const { body, type } = errorBody(path, answer);
  return { status: answer.status, headers: { 'Content-Type': type, ...answer.headers }, body };
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

/** Answers what no route answered: wrong methods and unknown paths, refusals, and failures of our own (logged, and told to nobody else). */
export function answeringErrors(log: Logger): Pick<Around<unknown>, 'notServed' | 'failed'> {
  return {
    notServed: ({ path }, allowed) => {
      if (allowed.length === 0) return errorAnswer(path, { status: 404, detail: 'no such path' });
      const detail = 'The requested method is not allowed for this path.';
      return errorAnswer(path, { status: 405, detail, headers: { Allow: allowed.join(', ') } });
    },
    failed: ({ method, path }, error) => {
      if (error instanceof Refusal) {
        const { status, message, errors, headers } = error;
        return errorAnswer(path, { status, detail: message, errors, headers });
      }
      if (isStorageFull(error)) {
        log.error({ err: error, path }, 'nothing can be written');
        const detail = 'the platform cannot write its data, the disk is full; make room and try again';
        return errorAnswer(path, { status: 507, detail });
      }
      log.error({ err: error, method, path }, 'request failed');
      return errorAnswer(path, { status: 500, detail: 'the platform failed to answer; its log says why' });
    },
  };
}
