import * as z from 'zod';

/** Content type of every error body of the v2 management API. */
export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** Error body of the v2 management API. `errors` lists individual validation failures. */
export const Problem = z.looseObject({
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: z.array(z.string()).optional(),
});
export type Problem = z.infer<typeof Problem>;

/** Error body of the queue: a failed job, or only `error`. */
export const QueueError = z.looseObject({
  error: z.string(),
  id: z.string().optional(),
  status: z.string().optional(),
});

/** Error body of a load-balanced endpoint, from its worker or from the balancer. */
export const RouteError = z.looseObject({ error: z.string(), detail: z.string() });

/** Error body of the v1 API. */
export const MessageError = z.looseObject({ message: z.string() });
