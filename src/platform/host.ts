import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { AdjustableClock } from './adjustableClock.ts';
import { waitingBy } from './clock.ts';
import { Attachments } from './control/attachments.ts';
import { createControl } from './control/control.ts';
import { isControl } from './control/isControl.ts';
import { addressesOf, closeServer, createServer, listen, portOf } from './server.ts';
import type { PlatformAddresses } from './services.ts';
import { StartFailure } from './startFailure.ts';
import type { Store } from './store/store.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

export interface HostOptions extends Omit<WorldOptions, 'realWaits' | 'addresses' | 'port'> {
  /** The secret of the data directory's lock, or any. */
  readonly holder: string;
}

/** A server, and behind it a world that may be replaced by another one while it runs. */
export class Host {
  readonly clock: AdjustableClock;
  readonly attachments = new Attachments();
  readonly askedToStop: Promise<void>;
  readonly #server: Server;
  readonly #worldOptions: WorldOptions;
  #world: World;

  constructor(store: Store, options: HostOptions) {
    const { holder, log, apiKey, ownProcess } = options;
    this.clock = new AdjustableClock(options.clock);
    const asked = Promise.withResolvers<void>();
    this.askedToStop = asked.promise;
    const port = (): number => portOf(this.#server);
    this.#worldOptions = {
      ...options,
      clock: this.clock,
      realWaits: waitingBy(options.clock, this.clock),
      addresses: () => addressesOf(this.#server),
      port,
    };
    const control = createControl(
      { attachments: this.attachments, holder, stop: asked.resolve },
      { apiKey, log, ownProcess, port },
    );
    const request = (incoming: IncomingMessage, response: ServerResponse): void => {
      if (isControl(incoming)) control(incoming, response);
      else this.#world.handlers.request(incoming, response);
    };
    this.#server = createServer({
      request,
      upgrade: (incoming, socket, head) => this.#world.handlers.upgrade(incoming, socket, head),
      isUpgrade: (incoming) => this.#world.handlers.isUpgrade(incoming),
    });
    this.#world = createWorld(store, this.#worldOptions);
  }

  /** Takes up what is in the store, and accepts requests. @throws StartFailure portTaken, failed */
  async listen(port: number, host?: string): Promise<PlatformAddresses> {
    await this.#world.recover(true);
    await listen(this.#server, port, host).catch((error: unknown) => {
      throw listenFailure(port, error as NodeJS.ErrnoException);
    });
    this.#world.start();
    return addressesOf(this.#server);
  }

  async close(): Promise<void> {
    await Promise.all([this.attachments.stopping(this.#worldOptions.realWaits), this.#world.end()]);
    await closeServer(this.#server);
    await this.#world.close();
  }
}

function listenFailure(port: number, cause: NodeJS.ErrnoException): StartFailure {
  if (cause.code === 'EADDRINUSE') {
    const remedy = 'stop that one, or choose another --port (0 takes a free one)';
    return new StartFailure('portTaken', `port ${port} is taken by another program`, { remedy, cause });
  }
  if (cause.code === 'EACCES') {
    const remedy = 'choose a --port above 1023 (0 takes a free one)';
    return new StartFailure('portTaken', `port ${port} may not be used`, { remedy, cause });
  }
  return new StartFailure('failed', `port ${port} cannot be listened on, ${cause.message}`, { cause });
}
