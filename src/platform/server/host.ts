import type { RequestListener, Server } from 'node:http';
import { AdjustableClock } from '../time/adjustableClock.ts';
import { waitingBy } from '../time/clock.ts';
import { Attachments } from '../control/attachments.ts';
import type { ControlServices } from '../control/controlServices.ts';
import { isControl } from '../control/isControl.ts';
import { Observer } from '../control/observer.ts';
import { isProcessImage, mayRunProcesses } from '../domain/processImage.ts';
import { LateListener } from '../http/lateListener.ts';
import { addressesOf, closeServer, createServer, listen, portOf } from './server.ts';
import type { PlatformAddresses } from '../routes/services.ts';
import { StartFailure } from '../startFailure.ts';
import type { Contents } from '../store/sqlite/snapshot.ts';
import { loadExeca, processRuntime } from '../runtimes/process/process.ts';
import type { Store } from '../store/store.ts';
import { UpgradedConnections } from '../http/upgradedConnections.ts';
import { createPlatformInstance, type PlatformInstance, type PlatformInstanceOptions } from './platformInstance.ts';

export interface HostOptions extends Omit<PlatformInstanceOptions, 'runtime' | 'realWaits' | 'addresses' | 'port'> {
  /** The secret of the data directory's lock, or any. */
  readonly holder: string;
}

type OpenStore = (contents: Contents) => Store;

/** A server, and behind it an instance that may be replaced by another one while it runs. */
export class Host {
  readonly clock: AdjustableClock;
  readonly attachments = new Attachments();
  readonly askedToStop: Promise<void>;
  readonly #server: Server;
  readonly #observer: Observer;
  readonly #upgraded = new UpgradedConnections();
  readonly #openStore: OpenStore;
  readonly #options: PlatformInstanceOptions;
  #instance: PlatformInstance;
  readonly #control: LateListener;
  /** Kept: every request asks for it, and the server would ask the system each time. */
  #port = 0;
  /** While the instance is being replaced: requests wait until it has been. */
  #replacing: Promise<void> | undefined;
  #closed = false;

  /** @throws what `openStore` does */
  constructor(openStore: OpenStore, options: HostOptions) {
    const { holder, secrets, log, apiKey } = options;
    this.clock = new AdjustableClock(options.clock);
    const realWaits = waitingBy(options.clock, this.clock);
    const asked = Promise.withResolvers<void>();
    this.askedToStop = asked.promise;
    const port = (): number => this.#port;
    this.#openStore = openStore;
    this.#options = {
      ...{ ...options, clock: this.clock, realWaits, runtime: processRuntime(realWaits), port },
      addresses: () => addressesOf(this.#server),
    };
    this.#observer = new Observer(this.clock, realWaits);
    const services: ControlServices = {
      ...{
        attachments: this.attachments,
        clock: this.clock,
        observer: this.#observer,
        holder,
        secrets,
        stop: asked.resolve,
      },
      mayStart: (accountId, image) =>
        !isProcessImage(image) || mayRunProcesses(accountId, options.allowProcessEndpoints),
      instance: () => this.#instance.services,
      replace: (contents) => this.#replace(contents),
      reset: () => this.reset(),
    };
    this.#control = new LateListener(
      async () => {
        const { createControl } = await import('../control/control.ts');
        return createControl(services, { apiKey, log, port });
      },
      (error) => log.error({ err: error }, 'the control API cannot be loaded'),
    );
    const interfaces: RequestListener = (incoming, response) => {
      this.#observer.handle(incoming, response, (...request) => this.#instance.handlers.request(...request));
    };
    this.#server = createServer({
      request: (incoming, response) => {
        if (isControl(incoming)) this.#control.handle(incoming, response);
        else if (this.#replacing) {
          // However that ends: why it failed is told to whoever asked for it.
          void this.#replacing.catch(() => undefined).then(() => interfaces(incoming, response));
        } else interfaces(incoming, response);
      },
      upgrade: (incoming, socket, head) => {
        this.#upgraded.add(socket);
        this.#instance.handlers.upgrade(incoming, socket, head);
      },
      isUpgrade: (incoming) => this.#instance.handlers.isUpgrade(incoming),
    });
    // Once the first has been answered; before it is needed, because an update of the extension may take away the files it is in.
    this.#server.once('request', (_incoming, response) => {
      response.once('close', () => void Promise.allSettled([this.#control.load(), loadExeca()]));
    });
    this.#instance = createPlatformInstance(openStore('kept'), this.#options);
  }

  /** Takes up what is in the store, and accepts requests. @throws StartFailure portTaken, failed */
  async listen(port: number, host?: string): Promise<PlatformAddresses> {
    await this.#instance.recover();
    await listen(this.#server, port, host).catch((error: unknown) => {
      throw listenFailure(port, error as NodeJS.ErrnoException);
    });
    this.#port = portOf(this.#server);
    this.#instance.start();
    return addressesOf(this.#server);
  }

  /** Back to an empty platform: nothing is left of what was, nor of how time and requests were disturbed. */
  async reset(): Promise<undefined> {
    this.#observer.faults.clear();
    await this.#replace('none', () => this.clock.reset());
    this.#observer.log.clear();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#replacing?.catch(() => undefined);
    await Promise.all([this.attachments.stopping(this.#options.realWaits), this.#instance.end()]);
    await this.#upgraded.end(this.#options.realWaits);
    await closeServer(this.#server);
    await this.#instance.close();
  }

  /** One after the other. @param between when nothing lives */
  async #replace(contents: Exclude<Contents, 'kept'>, between?: () => void): Promise<void> {
    while (this.#replacing) await this.#replacing.catch(() => undefined);
    if (this.#closed) return;
    this.#replacing = this.#replaceNow(contents, between).finally(() => (this.#replacing = undefined));
    await this.#replacing;
  }

  async #replaceNow(contents: Exclude<Contents, 'kept'>, between?: () => void): Promise<void> {
    await this.#instance.end();
    // What still reads from the old store, such as a stream of logs, has come to its end.
    this.#observer.cutOff();
    await this.#upgraded.end(this.#options.realWaits);
    await this.#instance.close();
    between?.();
    let failure: unknown;
    let store: Store;
    try {
      // Ends all sessions, including the owner's, because the reset deletes their accounts.
      await this.#options.signer.endAll();
      store = this.#openStore(contents);
    } catch (error) {
      failure = error;
      store = this.#openStore('kept');
    }
    this.#instance = createPlatformInstance(store, this.#options);
    await this.#instance.recover();
    this.#instance.start();
    if (failure !== undefined) throw failure as Error;
    this.#options.log.info(contents === 'none' ? 'platform reset' : 'platform replaced by a snapshot');
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
