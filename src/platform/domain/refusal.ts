import { formatViolation, type Violation } from '../../contract/violation.ts';

export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 503;

/** Statuses with which the platform itself refuses invocations of queues, load-balanced endpoints and public models. */
export type InvocationStatus = 400 | 401 | 403 | 404 | 429 | 500;

/** Maps the status of a refusal to the status that an invocation answers. */
export function invocationStatus(status: RefusalStatus | 405 | 500 | 507): InvocationStatus {
  switch (status) {
    case 405:
      return 404;
    case 409:
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

/** A request that is not carried out, with the HTTP status, the explanation and the individual failures it is answered with. */
export class Refusal extends Error {
  readonly status: RefusalStatus;
  /** Each `$.path: message`. */
  readonly errors: readonly string[];

  /** Headers that go with the answer. */
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

/** The refusal of a request that breaks rules; the status is the one of the first violation. */
export function refuseViolations(violations: readonly Violation[]): Refusal {
  const status = violations[0]?.status ?? 400;
  const detail = status === 422 ? 'Request validation failed.' : 'request could not be processed';
  const errors = violations.map(formatViolation);
  return new Refusal(status, [detail.replace(/\.$/, ''), ...errors.slice(0, 1)].join(': '), errors);
}

export const notFound = (what: string): Refusal => new Refusal(404, `${what} not found`);

/** For an operation of a queue on an endpoint that has none. */
export function noQueue(endpointId: string): Refusal {
  return new Refusal(
    400,
    `endpoint '${endpointId}' is load-balanced: it has no queue, its workers are called directly`,
  );
}
