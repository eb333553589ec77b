import * as z from 'zod';
import { paginated } from './pagination.ts';

/*
 * Container registry credentials: `/v2/registries`, and the same thing on the v1 API (interface document, operation 8; facts,
 * section 8). User name and password go in and never come out.
 */

export const Registry = z.looseObject({ id: z.string(), name: z.string() });
export type Registry = z.infer<typeof Registry>;

export const RegistryList = z.looseObject({ registries: z.array(Registry), ...paginated });

export const CreateRegistryBody = z.strictObject({
  name: z.string().min(1).meta({ description: 'Unique in the account.' }),
  username: z.string().min(1).meta({ writeOnly: true }),
  password: z.string().min(1).meta({ writeOnly: true }),
});
export type CreateRegistryBody = z.infer<typeof CreateRegistryBody>;

/** v1 answers the bare array. */
export const ContainerRegistryAuthList = z.array(Registry);
