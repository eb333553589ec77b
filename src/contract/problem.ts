import * as z from 'zod';

/** Content type of every error body of the v2 management API. */
export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** Error body of the v2 management API. `errors` lists individual validation failures. */
export const Problem = z.looseObject({
  title: z.string().meta({ description: 'Short name of the error.' }),
  status: z.int().meta({ description: 'HTTP status.' }),
  detail: z.string().meta({ description: 'Explanation of the error.' }),
  errors: z.array(z.string()).optional().meta({ description: 'Validation failures, one string for each.' }),
});
export type Problem = z.infer<typeof Problem>;

/** Error body of the queue: a failed job, or only `error`. */
export const QueueError = z.looseObject({
  error: z.string().meta({ description: 'Explanation of the error.' }),
  id: z.string().optional().meta({ description: 'ID of the job.' }),
  status: z.string().optional().meta({ description: 'State of the job.' }),
});

/** Error body of a load-balanced endpoint, from its worker or from the balancer. */
export const RouteError = z.looseObject({
  error: z.string().meta({ description: 'Short name of the error.' }),
  detail: z.string().meta({ description: 'Explanation of the error.' }),
});

/** Error body of the v1 API. */
export const MessageError = z.looseObject({ message: z.string().meta({ description: 'Explanation of the error.' }) });
