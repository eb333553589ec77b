import type { Client } from '../client/client.ts';
import type { Clock } from '../client/clock.ts';
import type { Subscription } from '../kit/emitter.ts';
import { Poller } from '../kit/poller.ts';

/** The current connection. Its client is undefined if no platform can be called. */
export interface Connected {
  readonly client: Client | undefined;
  readonly onDidChange: (listener: () => unknown) => Subscription;
}

/** The platform of a connection. The signal is aborted when the connection has another client or none. */
export interface ConnectedPlatform {
  readonly client: Client;
  readonly signal: AbortSignal;
}

export interface ConnectedPollerOptions {
  readonly connections: Connected;
  readonly clock: Clock;
  /** Runs one round. Does not throw. The signal is also aborted when polling stops. */
  readonly poll: (platform: ConnectedPlatform) => Promise<void>;
  /** Returns the delay before the next round, in ms. Called after each round. If undefined, the next round starts when `wake` is called. */
  readonly interval: () => number | undefined;
  /** Called after the client changed and before the first round with it. Earlier data belongs to another client. */
  readonly onConnection: () => void;
}

/**
 * Polls a platform only while there is a client, the view is visible, and the window has the focus. The next round starts at once when
 * another request finds that the connection fails or works again.
 */
export class ConnectedPoller {
  readonly #options: ConnectedPollerOptions;
  readonly #poller: Poller;
  readonly #subscription: Subscription;
  #client: Client | undefined;
  #connection = new AbortController();
  #unfollow: (() => void) | undefined;
  #rounds = 0;
  #visible = false;
  #focused = false;

  constructor(options: ConnectedPollerOptions) {
    const { connections, clock, poll, interval } = options;
    this.#options = options;
    this.#follow(connections.client);
    this.#poller = new Poller({
      clock,
      poll: async (signal) => {
        if (!this.#client) return;
        this.#rounds++;
        try {
          await poll({ client: this.#client, signal });
        } finally {
          this.#rounds--;
        }
      },
      interval,
    });
    this.#subscription = connections.onDidChange(() => this.#onConnection());
  }

  /** The current platform, even while it is not polled. Undefined without a client. */
  get platform(): ConnectedPlatform | undefined {
    return this.#client && { client: this.#client, signal: this.#connection.signal };
  }

  /** Sets whether the view is visible. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    this.#update();
  }

  /** Sets whether the window has the focus. */
  setFocused(focused: boolean): void {
    this.#focused = focused;
    this.#update();
  }

  /** Begins the next round now, or immediately after the current one. Does nothing while polling is stopped. */
  wake(): void {
    this.#poller.wake();
  }

  /** Aborts the current round and begins another one. */
  restart(): void {
    this.#poller.setOn(false);
    this.#update();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#connection.abort();
    this.#follow(undefined);
    this.#poller.setOn(false);
  }

  #update(): void {
    this.#poller.setOn(this.#client !== undefined && this.#visible && this.#focused);
  }

  #follow(client: Client | undefined): void {
    this.#unfollow?.();
    this.#client = client;
    // A round that is in progress notices the change itself.
    this.#unfollow = client?.health.onDidChange(() => {
      if (this.#rounds === 0) this.#poller.wake();
    });
  }

  /** Ignores changes that keep the client, such as a new name. */
  #onConnection(): void {
    const { client } = this.#options.connections;
    if (client === this.#client) return;
    this.#poller.setOn(false);
    this.#connection.abort();
    this.#connection = new AbortController();
    this.#follow(client);
    this.#options.onConnection();
    this.#update();
  }
}
