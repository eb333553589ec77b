import type { RequestListener, Server, IncomingMessage } from 'node:http';
import type { StopReason } from '../../contract/control/control.ts';
import { destroyAtEnd } from '../balancer/upgrade.ts';
import { DerivedClock } from '../time/derivedClock.ts';
import { Attachments } from '../control/attachments.ts';
import type { ControlServices } from '../control/controlServices.ts';
import { Observer } from '../control/observer.ts';
import { isProcessImage, mayRunProcesses } from '../domain/processImage.ts';
import { type GpuChoice, MachineGpus } from '../gpus/machineGpus.ts';
import { LazyListener } from '../http/lazyListener.ts';
import { addressesOf, closeServer, createServer, listen, portOf, type Handlers, type ListenAddress } from './server.ts';
import type { PlatformAddresses } from '../routes/services.ts';
import { StartFailure } from '../startFailure.ts';
import type { Contents, Stores, Store } from '../store/store.ts';
import type { EngineSettings } from '../runtimes/engineSettings.ts';
import { imageRuntimes, type ImageRuntimesOptions } from '../runtimes/imageRuntimes.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { loadExeca } from '../runtimes/process/process.ts';
import { retryUntilStored } from '../store/fullDisk.ts';
import { UpgradedConnections } from '../http/connections.ts';
import { workerGate, type ClosableWorkerGate } from './workerGate.ts';
import { createPlatformInstance, type PlatformInstance, type PlatformInstanceOptions } from './platformInstance.ts';
import { workerOfTerminal } from '../../contract/control/terminal.ts';
import { CONTROL_PATH, WORKER_PATH } from '../../contract/launch/localPlatform.ts';
import { isForWorker } from '../routes/balanced.ts';
import { loadExposition } from '../routes/metrics.ts';

export interface HostOptions extends Omit<
  PlatformInstanceOptions,
  'runtime' | 'realClock' | 'wallClock' | 'addresses' | 'workerUrl' | 'owner' | 'port' | 'ignoreGpus'
> {
  readonly engine: EngineSettings;
  /** Further address that serves only the metrics. */
  readonly metricsAddress?: ListenAddress | undefined;
  /** GPUs of this machine for workers. */
  readonly gpus: GpuChoice;
  /** Environment of this process, in which programs of engines look for their settings. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Default: `imageRuntimes`. */
  readonly createRuntime?: ((options: ImageRuntimesOptions) => Runtime) | undefined;
  /** Secret in the lock of the data directory. A platform in memory has a random one. */
  readonly holder: string;
  /** Whether workers that the next platform can adopt run on when the platform stops. */
  readonly keepWorkers: boolean;
}

/** An HTTP server and the platform instance behind it. A reset or an import replaces the instance while the server runs. */
export class Host {
  readonly clock: DerivedClock;
  readonly attachments = new Attachments();
  readonly stopRequested: Promise<void>;
  readonly #server: Server;
  readonly #gate: ClosableWorkerGate;
  readonly #gpus: MachineGpus;
  readonly #observer: Observer;
  readonly #upgraded = new UpgradedConnections();
  readonly #stores: Stores;
  readonly #options: PlatformInstanceOptions;
  readonly #keepWorkers: boolean;
  readonly #metricsAddress: ListenAddress | undefined;
  #metricsServer: Server | undefined;
  #store: Store;
  #instance: PlatformInstance;
  readonly #control: LazyListener;
  /** Cached, because every request reads it. The server would make a system call each time. */
  #port = 0;
  /** Set while the instance is being replaced. Requests wait for it. */
  #replacing: Promise<void> | undefined;
  #closed = false;
  /** Whether callers are refused, because the next platform answers them. */
  #refusing = false;

  /** @throws the error of `stores.open` */
  constructor(stores: Stores, options: HostOptions) {
    const { holder, secrets, log, apiKey, publicUrl } = options;
    this.clock = new DerivedClock(options.clock);
    const realClock = this.clock.real;
    const asked = Promise.withResolvers<void>();
    this.stopRequested = asked.promise;
    const port = (): number => this.#port;
    this.#stores = stores;
    this.#keepWorkers = options.keepWorkers;
    this.#metricsAddress = options.metricsAddress;
    // Opened before the secret key is used, because the store reports a missing key.
    this.#store = stores.open('kept');
    this.#observer = new Observer(this.clock, realClock);
    const gateOptions = {
      port: options.engine.workerPort,
      forwarded: options.engine.forwardedPorts,
      stored: () => this.#store.gatePorts,
      onTaken: (address: string, taken: number) => log.warn({ address, port: taken }, GATE_TAKEN),
    };
    this.#gate = workerGate((incoming, response) => {
      this.#observer.watch(response);
      this.#whenReplaced(() => this.#instance.handlers.worker(incoming, response));
    }, gateOptions);
    const owner = secrets.identify('owner of workers');
    const { engine: settings, environment, createRuntime = imageRuntimes } = options;
    const runtime = createRuntime({
      ...{ clock: realClock, owner, gate: this.#gate, log, settings, environment },
      gateForProcesses: options.keepWorkers,
    });
    const { gpus: choice, capacity } = options;
    this.#gpus = new MachineGpus({ choice, clock: realClock, environment, capacity, log });
    capacity.whenTooFewGpus(() => void this.#gpus.refresh());
    const ignoreGpus = choice === 'ignore';
    this.#options = {
      ...{ ...options, ignoreGpus, clock: this.clock, realClock, wallClock: options.clock, runtime, owner, port },
      addresses: () => addressesOf(this.#server, publicUrl?.origin),
      workerUrl: () => addressesOf(this.#server).baseUrl + WORKER_PATH,
    };
    const services: ControlServices = {
      ...{
        attachments: this.attachments,
        clock: this.clock,
        realClock,
        observer: this.#observer,
        holder,
        images: runtime.images,
        gpus: () => this.#gpus.list(),
        stop: asked.resolve,
      },
      mayStart: (accountId, image) =>
        !isProcessImage(image) || mayRunProcesses(accountId, options.allowProcessEndpoints),
      instance: () => this.#instance.services,
      tryImport: (contents, directory) => stores.tryImport(contents, directory),
      replace: (contents) => this.#replace(contents),
      reset: () => this.reset(),
    };
    this.#control = new LazyListener(
      async () => {
        const { createControl } = await import('../control/control.ts');
        return createControl(services, { apiKey, log, port, publicUrl });
      },
      (error) => log.error({ err: error }, 'the control API cannot be loaded'),
    );
    const interfaces: RequestListener = (incoming, response) => {
      this.#observer.handle(incoming, response, (...request) => this.#instance.handlers.request(...request));
    };
    const terminals: Handlers['upgrade'] = (incoming, socket, head) => {
      import('../control/terminals.ts').then(
        ({ terminalListener }) =>
          terminalListener({ instance: services.instance, realClock, log, port, publicUrl })(incoming, socket, head),
        (error: unknown) => {
          log.error({ err: error }, 'the terminals cannot be loaded');
          socket.destroy();
        },
      );
    };
    this.#server = createServer({
      request: (incoming, response) => {
        if (this.#refusing) incoming.socket.destroy();
        else if (isControl(incoming)) this.#control.handle(incoming, response);
        else this.#whenReplaced(() => interfaces(incoming, response));
      },
      upgrade: (incoming, socket, head) => {
        // The handlers of an upgrade manage the connection, but it can fail or end before they run.
        socket.on('error', () => undefined).on('end', destroyAtEnd);
        this.#whenReplaced(() => {
          if (this.#refusing) socket.destroy();
          if (socket.destroyed) return;
          this.#upgraded.add(socket);
          if (isTerminal(incoming)) terminals(incoming, socket, head);
          else this.#instance.handlers.upgrade(incoming, socket, head);
        });
      },
      isUpgrade: (incoming) => isTerminal(incoming) || this.#instance.handlers.isUpgrade(incoming),
    });
    // Loads the remaining code after the first response, because an update of the extension may delete its files later.
    this.#server.once('request', (_incoming, response) => {
      response.once('close', () => void Promise.allSettled([this.#control.load(), loadExeca(), loadExposition()]));
    });
    this.#instance = createPlatformInstance(this.#store, this.#options);
  }

  /** Calls back at once, or after the current replacement of the instance. */
  #whenReplaced(serve: () => void): void {
    if (!this.#replacing) serve();
    // Serves the request even if the replacement fails. The request that started the replacement reports the error.
    // Another replacement may have begun in the meantime.
    else void this.#replacing.catch(() => undefined).then(() => this.#whenReplaced(serve));
  }

  /** Addresses for callers. They are valid once the host listens. */
  get addresses(): PlatformAddresses {
    return this.#options.addresses();
  }

  /**
   * Recovers the state in the store, and starts to accept requests. Returns the addresses for programs on this machine.
   *
   * @throws StartFailure portTaken, failed
   */
  async listen(port: number, host?: string): Promise<PlatformAddresses> {
    await Promise.all([this.#instance.recover(), this.#gpus.refresh()]);
    await listen(this.#server, port, host).catch((error: unknown) => {
      throw listenFailure(port, error as NodeJS.ErrnoException);
    });
    this.#port = portOf(this.#server);
    await this.#listenForMetrics();
    this.#instance.start();
    return addressesOf(this.#server);
  }

  /** @throws StartFailure portTaken, failed */
  async #listenForMetrics(): Promise<void> {
    if (!this.#metricsAddress) return;
    const { host, port } = this.#metricsAddress;
    const serve: RequestListener = (incoming, response) => {
      this.#whenReplaced(() => this.#instance.handlers.metrics(incoming, response));
    };
    const server = createServer({ request: serve, upgrade: (_, socket) => socket.destroy(), isUpgrade: () => false });
    await listen(server, port, host).catch((error: unknown) => {
      throw listenFailure(port, error as NodeJS.ErrnoException);
    });
    this.#metricsServer = server;
  }

  /** Deletes all data, and resets the clock, the faults, and the request log. */
  async reset(): Promise<undefined> {
    this.#observer.faults.clear();
    await this.#replace('none', () => this.clock.reset());
    this.#observer.log.clear();
  }

  /** @param reason undefined if the stop is requested */
  async close(reason?: StopReason): Promise<void> {
    this.#closed = true;
    await this.#replacing?.catch(() => undefined);
    if (this.#keepWorkers) this.#refuseCallers();
    await Promise.all([
      this.attachments.stopping(this.#options.realClock, reason),
      this.#instance.end({ keepWorkers: this.#keepWorkers }),
    ]);
    await this.#upgraded.drain(this.#options.realClock);
    await Promise.all([
      closeServer(this.#server),
      this.#metricsServer && closeServer(this.#metricsServer),
      this.#gate.close(),
    ]);
    await this.#instance.close();
    await Promise.all([this.#options.runtime.close(), this.#options.spans?.close()]);
  }

  /**
   * Refuses connections, and closes those that are idle, so that callers try again until the next platform listens. Requests in progress are
   * answered. Workers deliver their last results to the gate.
   */
  #refuseCallers(): void {
    this.#refusing = true;
    this.#server.close();
  }

  /** Replaces the instance. Runs one replacement at a time. @param between called while no instance exists */
  async #replace(contents: Exclude<Contents, 'kept'>, between?: () => void): Promise<void> {
    while (this.#replacing) await this.#replacing.catch(() => undefined);
    if (this.#closed) return;
    this.#replacing = this.#replaceNow(contents, between).finally(() => (this.#replacing = undefined));
    await this.#replacing;
  }

  /** Opens a store, and starts an instance on it. Closes the store if that fails. */
  async #startInstance(contents: Contents): Promise<void> {
    const store = this.#stores.open(contents);
    let instance: PlatformInstance | undefined;
    try {
      instance = createPlatformInstance(store, this.#options);
      await instance.recover();
      instance.start();
    } catch (error) {
      if (instance) {
        await instance.end();
        await instance.close();
      } else store.close();
      throw error;
    }
    this.#store = store;
    this.#instance = instance;
  }

  async #replaceNow(contents: Exclude<Contents, 'kept'>, between?: () => void): Promise<void> {
    await this.#instance.end();
    // Closes all connections that still read from the old store, such as log streams.
    this.#observer.closeConnections();
    await this.#upgraded.drain(this.#options.realClock);
    await this.#instance.close();
    between?.();
    let failure: unknown;
    try {
      // Ends all sessions, including the owner's, because the reset deletes their accounts.
      await this.#options.signer.endAll();
      await this.#startInstance(contents);
    } catch (error) {
      failure = error;
      // Without an instance, the platform cannot serve requests. On a full disk, requests wait for the old data to open.
      await retryUntilStored(
        this.#options.realClock,
        () => this.#startInstance('kept'),
        () => !this.#closed,
      );
    }
    if (failure !== undefined) throw failure as Error;
    this.#options.log.info(contents === 'none' ? 'platform reset' : 'platform restored from a snapshot');
  }
}

const GATE_TAKEN =
  'another program uses the port at which workers find the platform; workers of the previous platform are replaced';

function listenFailure(port: number, cause: NodeJS.ErrnoException): StartFailure {
  if (cause.code === 'EADDRINUSE') {
    const remedy = 'stop that program, or choose another --port (0 selects a free port)';
    return new StartFailure('portTaken', `port ${port} is taken by another program`, { remedy, cause });
  }
  if (cause.code === 'EACCES') {
    const remedy = 'choose a --port above 1023 (0 selects a free port)';
    return new StartFailure('portTaken', `the operating system denies access to port ${port}`, { remedy, cause });
  }
  return new StartFailure('failed', `cannot listen on port ${port}: ${cause.message}`, { cause });
}

/** Whether the request is for the control API. Requests to the host name of an endpoint are not: its worker may have the same path. */
function isControl(incoming: IncomingMessage): boolean {
  return incoming.url?.startsWith(`${CONTROL_PATH}/`) === true && !isForWorker(incoming);
}

/** Whether the request opens a terminal in a worker. */
function isTerminal(incoming: IncomingMessage): boolean {
  const { upgrade = '' } = incoming.headers;
  return (
    isControl(incoming) && upgrade.toLowerCase() === 'websocket' && workerOfTerminal(incoming.url ?? '') !== undefined
  );
}
