import { operations } from './operations.ts';
import type { Operation } from './operation.ts';

/* What a key may be allowed to do (interface document, Authentication). */

/** Calling endpoints and public models: everything that has a queue or routes. */
export const INVOKE_PERMISSION = 'invoke';

/**
 * What a key must be allowed for an operation: `invoke` for endpoints and public models, otherwise `<group>:read` or `<group>:write`,
 * such as `network-volumes:read`. The interface document says that there are permissions and not which; these follow from its groups.
 */
export function permissionFor({ method, errorFormat, tag = 'other' }: Operation): string {
  if (errorFormat === 'job') return INVOKE_PERMISSION;
  return `${tag.toLowerCase().replaceAll(' ', '-')}:${method === 'GET' ? 'read' : 'write'}`;
}

/** Every permission there is. */
export const PERMISSIONS: readonly string[] = [
  ...new Set(Object.values<Operation>(operations).map(permissionFor)),
].sort();
