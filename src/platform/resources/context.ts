import type { Clock } from '../time/clock.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { ResourceStore } from '../store/resourceStore.ts';
import type { Store } from '../store/store.ts';

/** What the resources of one account are kept in. */
export interface AccountContext {
  readonly accountId: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly own: ResourceStore;
  /** Of this account. */
  /** Whether the account may run programs on this machine. */
  readonly mayRunProcesses: boolean;
  readonly endpoints: () => EndpointRecord[];
}
