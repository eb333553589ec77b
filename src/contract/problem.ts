import * as z from 'zod';

/** Content type of every error body of the management plane (interface document, Errors). */
export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** Error body (interface document, "Error body"). `errors` lists individual request-validation failures. */
export const Problem = z.looseObject({
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: z.array(z.string()).optional(),
});
export type Problem = z.infer<typeof Problem>;
