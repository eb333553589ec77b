import { operations } from './operations.ts';
import type { Operation } from './operation.ts';

/* Permissions of API keys. */

/** Permission to call endpoints and public models, which have queues or routes. */
export const INVOKE_PERMISSION = 'invoke';

/**
 * Returns the permission that an operation requires. It is `invoke` for endpoints and public models, and otherwise `<group>:read` or
 * `<group>:write`, such as `network-volumes:read`. The names are assumptions derived from the groups, because the public interface does
 * not list them.
 */
export function permissionFor({ method, errorFormat, tag = 'other' }: Operation): string {
  if (errorFormat === 'job') return INVOKE_PERMISSION;
  return `${tag.toLowerCase().replaceAll(' ', '-')}:${method === 'GET' ? 'read' : 'write'}`;
}

/** All permissions, in alphabetical order. */
export const PERMISSIONS: readonly string[] = [
  ...new Set(Object.values<Operation>(operations).map(permissionFor)),
].sort();
