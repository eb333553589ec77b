import type { Clock } from '../time/clock.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { ResourceStore } from '../store/resourceStore.ts';
import type { Store } from '../store/store.ts';

/** State that the resources of one account share. */
export interface AccountContext {
  readonly accountId: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly own: ResourceStore;
  /** True if the account may run programs on this machine. */
  readonly mayRunProcesses: boolean;
  /** Returns the endpoints of this account. */
  readonly endpoints: () => EndpointRecord[];
}
