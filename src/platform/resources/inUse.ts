import { Refusal } from '../domain/refusal.ts';

/** @throws Refusal 400 with the endpoints that use the resource, if there are any */
export function refuseInUse(
  resource: string,
  endpoints: readonly { readonly id: string; readonly name: string }[],
): void {
  if (endpoints.length === 0) return;
  const users = endpoints.map(({ id, name }) => `'${name}' (${id})`).join(', ');
  throw new Refusal(400, `the ${resource} is in use by the endpoint${endpoints.length > 1 ? 's' : ''} ${users}`);
}
