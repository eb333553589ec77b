import * as z from 'zod';

/** ID of a record that a seed or a snapshot names. */
export const ResourceId = z.string().regex(/^[a-z0-9]{4,32}$/, 'must be 4 to 32 lowercase letters and digits');
