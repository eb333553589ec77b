import type { Logger } from 'pino';
import { IMAGE_EDIT_ENDPOINT_ID } from '../../contract/imageModel.ts';
import { PROBLEM_CONTENT_TYPE, type Problem } from '../../contract/problem.ts';
import { RETRY_AFTER_HEADER } from '../../contract/rateLimit.ts';
import { WORKER_PATH } from '../../contract/launch/localPlatform.ts';
import { invocationStatus, Refusal, type InvocationStatus, type RefusalStatus } from '../domain/refusal.ts';
import { newJobId } from '../ids.ts';
import { isStorageFull } from '../storageFull.ts';
import type { Answer } from '../http/answer.ts';
import type { Hooks } from '../http/app.ts';
import { ADDRESS_PATHS } from './route.ts';

/*
 * Error formats: problem+json by default, one message on the v1 API, and plain JSON for workers and invocations. An error of the queue has
 * the format of a failed job without an ID. Clients would mistake an ID for the ID of an existing job. An error of the image-editing model
 * requires an ID. It identifies the refused request, and no job has this ID.
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

/** Values of `error` if a load-balanced endpoint refuses a request. `detail` contains the cause. */
export const ROUTE_ERRORS: Readonly<Record<InvocationStatus, string>> = {
  400: 'bad request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  409: 'conflict',
  429: 'too many requests',
  500: 'internal error',
};

/** Messages for failures of the platform itself, and the Retry-After header for failures that a retry can resolve. */
export const INTERNAL_ERROR = 'the platform failed to answer; see its log for the cause';
export const STORAGE_FULL = 'the platform cannot write its data: the disk is full; free some space and try again';
export const STORAGE_FULL_HEADERS = { [RETRY_AFTER_HEADER]: '5' } as const;

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

const IMAGE_EDIT_PATH = `${ADDRESS_PATHS.queueUrl}/${IMAGE_EDIT_ENDPOINT_ID}`;
const ROUTES_PATH = '/endpoints';

/** Formats of error bodies. `edit`, `job`, and `route` are for invocations. */
export type ErrorForm = 'problem' | 'message' | 'worker' | 'job' | 'edit' | 'route';
const INVOCATIONS: readonly ErrorForm[] = ['job', 'edit', 'route'];

export function errorFormAt(path: string): ErrorForm {
  if (isBelow(path, WORKER_PATH)) return 'worker';
  if (isBelow(path, IMAGE_EDIT_PATH)) return 'edit';
  if (isBelow(path, ADDRESS_PATHS.queueUrl)) return 'job';
  if (isBelow(path, ROUTES_PATH)) return 'route';
  // The v1 API puts the whole error into one message.
  return path.startsWith('/v1/') ? 'message' : 'problem';
}

interface ErrorDetails {
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly string[];
  /** ID of the refused request, for formats that have one. Default: a new ID. */
  readonly id?: string;
}

export function errorBody(
  form: ErrorForm,
  { status, detail, errors = [], id = newJobId('run') }: ErrorDetails,
): { readonly body: string; readonly type: string } {
  const listed = errors.length > 0 ? { errors: [...errors] } : {};
  const plain = (body: object) => ({ body: JSON.stringify(body), type: 'application/json' });
  switch (form) {
    case 'message':
      return plain({ message: [detail, ...errors.slice(1)].join('; ') });
    case 'worker':
      return plain({ error: detail, ...listed });
    case 'job':
      return plain({ status: 'FAILED', error: detail, ...listed });
    case 'edit':
      return plain({ id, status: 'FAILED', error: detail, ...listed });
    case 'route':
      return plain({ error: titleOf(ROUTE_ERRORS, status), detail, ...listed });
    case 'problem': {
      const problem: Problem = { title: titleOf(TITLES, status), status, detail, ...listed };
      return { body: JSON.stringify(problem), type: PROBLEM_CONTENT_TYPE };
    }
  }
}

/** Falls back to a generic title, because injected faults can have any status. */
const titleOf = (titles: Readonly<Record<number, string>>, status: number): string => titles[status] ?? 'Error';

interface Failure extends Omit<ErrorDetails, 'status'> {
  readonly status: RefusalStatus | 405 | 500 | 507;
  readonly headers?: Readonly<Record<string, string>>;
}

function errorAnswer(form: ErrorForm, { headers, ...failure }: Failure): Answer {
  const status = INVOCATIONS.includes(form) ? invocationStatus(failure.status) : failure.status;
  const { body, type } = errorBody(form, { ...failure, status });
  return { status, headers: { 'Content-Type': type, ...headers }, body };
}

/** Answers wrong methods, unknown paths, refusals, and unexpected errors. The cause of an unexpected error is only in the log. */
export function errorHooks(log: Logger): Pick<Hooks<unknown>, 'unmatched' | 'onError'> {
  return {
    unmatched: ({ path }, allowed) => {
      const form = errorFormAt(path);
      if (allowed.length === 0) return errorAnswer(form, { status: 404, detail: 'no such path' });
      const detail = 'The requested method is not allowed for this path.';
      return errorAnswer(form, { status: 405, detail, headers: { Allow: allowed.join(', ') } });
    },
    onError: ({ method, path }, error) => {
      const form = errorFormAt(path);
      if (error instanceof Refusal) {
        const { status, message, errors, headers } = error;
        return errorAnswer(form, { status, detail: message, errors, headers });
      }
      const id = form === 'edit' ? { id: newJobId('run') } : {};
      if (isStorageFull(error)) {
        log.error({ err: error, path, ...id }, 'cannot write data: the disk is full');
        return errorAnswer(form, { status: 507, detail: STORAGE_FULL, headers: STORAGE_FULL_HEADERS, ...id });
      }
      log.error({ err: error, method, path, ...id }, 'request failed');
      return errorAnswer(form, { status: 500, detail: INTERNAL_ERROR, ...id });
    },
  };
}
