import type { Subscription } from '../../kit/emitter.ts';
import type { EndpointStore } from './endpointStore.ts';

/** Calls the listener when endpoints are added, removed, or updated. Ignores changes of workers and jobs, which are frequent. */
export function onDidChangeEndpointDefinitions(
  store: Pick<EndpointStore, 'endpoints' | 'onDidChange'>,
  listener: () => void,
): Subscription {
  const current = () => store.endpoints.map(({ endpoint }) => endpoint);
  let before = current();
  return store.onDidChange(() => {
    const now = current();
    if (now.length === before.length && now.every((endpoint, index) => endpoint === before[index])) return;
    before = now;
    listener();
  });
}
