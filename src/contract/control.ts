import * as z from 'zod';

/* The control API of a local platform (see `controlOperations`): what is asked and answered. */

/** Where the control API begins, below `baseUrl`. */
export const CONTROL_PATH = '/control/v1';

/** A text that nobody has used before. */
export const IdentityQuery = z.strictObject({ challenge: z.string().min(16).max(200) });

/** Shows that the platform which answers is the one that wrote the lock of its data directory: HMAC-SHA-256 with the lock's `holder`. */
export const Identity = z.looseObject({ pid: z.int(), proof: z.string() });
export type Identity = z.infer<typeof Identity>;

/** What those who share a platform are told: once when they are in, and when it is about to stop. */
export const AttachmentEvent = z.looseObject({ event: z.enum(['attached', 'stopping']) });
export type AttachmentEvent = z.infer<typeof AttachmentEvent>;
