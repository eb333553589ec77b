import * as z from 'zod';
import { paginated } from './pagination.ts';

/*
 * Container registry credentials: `/v2/registries`, and the same records on the v1 API. Responses never contain the user name or the
 * password.
 */

export const Registry = z.looseObject({
  id: z.string().meta({ description: 'ID of the credential.' }),
  name: z.string().meta({ description: 'Name of the credential, unique in the account.' }),
});
export type Registry = z.infer<typeof Registry>;

export const RegistryList = z.looseObject({
  registries: z.array(Registry).meta({ description: 'Container registry credentials of the account.' }),
  ...paginated,
});

export const CreateRegistryBody = z.strictObject({
  name: z.string().min(1).meta({ description: 'Name of the credential, unique in the account.' }),
  username: z.string().min(1).meta({ description: 'User name. Responses never contain it.', writeOnly: true }),
  password: z.string().min(1).meta({ description: 'Password. Responses never contain it.', writeOnly: true }),
});
export type CreateRegistryBody = z.infer<typeof CreateRegistryBody>;

/** Response of the v1 API, which is the bare array. */
export const ContainerRegistryAuthList = z.array(Registry);
