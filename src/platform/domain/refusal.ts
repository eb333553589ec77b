import { formatViolation, type Violation } from '../../contract/violation.ts';

export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 503;

/** Statuses with which the platform itself refuses invocations of queues, load-balanced endpoints, and public models. */
export type InvocationStatus = 400 | 401 | 403 | 404 | 409 | 429 | 500;

/** Maps the status of a refusal to the status of the response to an invocation. */
export function invocationStatus(status: RefusalStatus | 405 | 500 | 507): InvocationStatus {
  switch (status) {
    case 405:
      return 404;
    case 413:
    case 422:
      return 400;
    case 503:
    case 507:
      return 500;
    default:
      return status;
  }
}

/** A request that the platform refuses, with the HTTP status, explanation, and individual errors of the response. */
export class Refusal extends Error {
  readonly status: RefusalStatus;
  /** Errors in the form `$.path: message`. */
  readonly errors: readonly string[];

  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: RefusalStatus,
    detail: string,
    errors: readonly string[] = [],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.name = 'Refusal';
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }
}

/** Returns the refusal of a request that breaks rules. Its status is that of the first violation. */
export function refuseViolations(violations: readonly Violation[]): Refusal {
  const status = violations[0]?.status ?? 400;
  const detail = status === 422 ? 'Request validation failed.' : 'request could not be processed';
  const errors = violations.map(formatViolation);
  return new Refusal(status, [detail.replace(/\.$/, ''), ...errors.slice(0, 1)].join(': '), errors);
}

export const notFound = (what: string): Refusal => new Refusal(404, `${what} not found`);

/** Returns the refusal of a queue operation on an endpoint without a queue. */
export function noQueue(endpointId: string): Refusal {
  return new Refusal(400, `endpoint '${endpointId}' is load-balanced and has no queue; call its workers directly`);
}
