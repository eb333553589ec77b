import * as l10n from '@vscode/l10n';
import { parseRetryAfter } from '../../../client/apiError.ts';
import { parseJson } from '../../../contract/parsedJson.ts';
import { Problem } from '../../../contract/problem.ts';
import { RETRY_AFTER_HEADER } from '../../../contract/rateLimit.ts';
import {
  AFFINITY_TIMEOUT,
  AFFINITY_WORKER_GONE,
  NO_WORKERS,
  NOT_FOR_QUEUES,
  TIME_LIMIT,
  WORKER_ID_HEADER,
} from '../../../contract/route.ts';
import { RouteError } from '../../../contract/routeError.ts';
import { duration } from '../../../text/quantities.ts';
import { oneLine } from '../../../text/shownText.ts';
import type { HttpHeader } from '../model/httpFile.ts';

/** Remedies for errors of the load balancer, by the `error` of the body. */
const REMEDIES: Readonly<Record<string, string>> = {
  [NO_WORKERS]: l10n.t(
    'No worker became ready in time. The worker logs show whether one starts. The endpoint must allow at least one worker.',
  ),
  [TIME_LIMIT]: l10n.t(
    'The worker did not finish in time. Send less work in one request, or raise the timeout of the endpoint.',
  ),
  [AFFINITY_WORKER_GONE]: l10n.t`The worker that the request requires no longer exists. Change or remove the header ${WORKER_ID_HEADER}.`,
  [AFFINITY_TIMEOUT]: l10n.t(
    `The worker that the request requires was not free in time. Send the request again, or name the worker without “strict”.`,
  ),
  [NOT_FOR_QUEUES]: l10n.t('This endpoint is queue-based. Run a job on it instead.'),
};

export interface FailedResponse {
  readonly status: number;
  readonly headers: readonly HttpHeader[];
  /** ID of the worker that responded. Undefined if the response comes from the platform. */
  readonly workerId: string | undefined;
  readonly text: string;
}

/** Returns what an error response says and what to do about it, one line each. Empty for a success. */
export function errorNotes(response: FailedResponse): readonly string[] {
  if (response.status < 400) return [];
  const json = parseJson(response.text);
  const { error, detail } = RouteError.safeParse(json).data ?? {};
  const problem = Problem.safeParse(json).data;
  const message = problem ? [problem.title, problem.detail] : [error, detail];
  const told = message.filter((part) => part !== undefined && part !== '').join(': ');
  const remedy = remedyOf(response, error);
  return [...(told === '' ? [] : [oneLine(told)]), ...(remedy === undefined ? [] : [remedy])];
}

function remedyOf({ status, headers, workerId }: FailedResponse, error: string | undefined): string | undefined {
  if (status === 429) {
    const header = headers.find(({ name }) => name.toLowerCase() === RETRY_AFTER_HEADER.toLowerCase())?.value;
    const ms = parseRetryAfter(header ?? null, 0);
    // A date is shown unchanged, because the document can be opened much later.
    const when = header !== undefined && !/^\d+$/.test(header) ? l10n.t`after ${oneLine(header)}` : undefined;
    const pause = ms === undefined ? l10n.t('in a moment') : l10n.t`in ${duration(ms / 1000)}`;
    return l10n.t`Too many requests. Send the request again ${when ?? pause}.`;
  }
  if (workerId !== undefined) return l10n.t('The worker sent this error. Its log can contain more.');
  if (error !== undefined && Object.hasOwn(REMEDIES, error)) return REMEDIES[error];
  if (status === 401) return l10n.t('The API key was not accepted. Replace the key of the connection.');
  if (status === 403) return l10n.t('The API key does not allow this request.');
  if (status === 404) return l10n.t('The platform has no such endpoint or route.');
  return status >= 500
    ? l10n.t('The platform could not answer the request. The worker logs can contain the reason.')
    : undefined;
}
