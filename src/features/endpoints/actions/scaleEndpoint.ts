import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { EndpointStore } from '../../../account/endpoints/endpointStore.ts';
import * as l10n from '@vscode/l10n';

/** Range of the number of workers that an endpoint can have. */
export interface WorkerRange {
  readonly min: number;
  readonly max: number;
}

/** Formats a range for the input box, such as `0-3`. */
export function rangeText({ min, max }: WorkerRange): string {
  return `${min}-${max}`;
}

/** Reads `min-max`, separated by `-`, `–`, `to`, `,`, or a space. Returns a message if the text is invalid. */
export function parseRange(text: string): WorkerRange | string {
  const match = /^(\d+)(?: ?(?:-|–|to|,) ?| )(\d+)$/i.exec(text.trim().replace(/\s+/g, ' '));
  if (!match) return l10n.t('Enter the minimum and maximum number of workers, such as 0-3');
  const [min, max] = [Number(match[1]), Number(match[2])];
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max)) return l10n.t('The number is too large');
  return min > max ? l10n.t`The minimum (${min}) is greater than the maximum (${max})` : { min, max };
}

/** Describes the effect of a range, for the input box. */
export function rangeWords({ min, max }: WorkerRange): string {
  if (max === 0) return l10n.t('Paused: no workers start, and jobs wait.');
  if (min === 0) return l10n.t`No workers while idle, up to ${max} under load.`;
  return l10n.t`${min} always up, billed even while idle; up to ${max} under load.`;
}

/**
 * Changes the number of workers that an endpoint can have. The store marks the endpoint during the change. Sends no request if the range
 * does not change. Returns the endpoint after the change.
 *
 * @throws ApiError
 */
export async function scaleEndpoint(
  { client, store }: { readonly client: Client; readonly store: Pick<EndpointStore, 'update'> },
  endpoint: Endpoint,
  { min, max }: WorkerRange,
): Promise<Endpoint> {
  if (min === endpoint.workers.min && max === endpoint.workers.max) return endpoint;
  return store.update(client, endpoint.id, { workers: { min, max } });
}
