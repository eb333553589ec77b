import * as z from 'zod';

/** Error body of a load-balanced endpoint on any platform. `detail` is optional because hosted balancers omit it. */
export const RouteError = z.looseObject({ error: z.string(), detail: z.string().optional().catch(undefined) });
