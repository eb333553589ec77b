import type { Clock } from '../../client/clock.ts';
import { ConnectedPoller, type Connected } from '../connectedPoller.ts';
import { LIST_NAMES, type ListName } from './liveLists.ts';
import type { LiveValueStore } from './liveValueStore.ts';

/** Interval in ms at which outdated lists are requested. The store sends a request only for lists that are due. */
const INTERVAL_MS = 10_000;

interface PollerSources {
  readonly connections: Connected;
  readonly clock: Clock;
  readonly values: Pick<LiveValueStore, 'request'>;
  /** Lists to keep up to date. Default: all lists. */
  readonly lists?: readonly ListName[];
}

/** Keeps lists of the current connection up to date while a view that needs them is visible and the window has the focus. */
export class LiveValuePoller {
  readonly #poller: ConnectedPoller;

  constructor({ connections, clock, values, lists = LIST_NAMES }: PollerSources) {
    this.#poller = new ConnectedPoller({
      connections,
      clock,
      poll: () => {
        values.request(lists);
        return Promise.resolve();
      },
      interval: () => INTERVAL_MS,
      onConnection: () => undefined,
    });
  }

  /** Sets whether a view that needs the lists is visible. */
  setVisible(visible: boolean): void {
    this.#poller.setVisible(visible);
  }

  /** Sets whether the window has the focus. */
  setFocused(focused: boolean): void {
    this.#poller.setFocused(focused);
  }

  dispose(): void {
    this.#poller.dispose();
  }
}
