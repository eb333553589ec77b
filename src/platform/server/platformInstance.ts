import type { Logger } from 'pino';
import { Accounts } from '../accounts/accounts.ts';
import { Authenticator } from '../accounts/authenticator.ts';
import type { RateLimitOptions } from '../accounts/rateLimits.ts';
import { ownerS3Key, s3KeyOf } from '../accounts/s3Keys.ts';
import type { SessionSigner } from '../accounts/sessions.ts';
import { Bills } from '../resources/bills.ts';
import { BodyThread } from '../http/bodyThread.ts';
import type { StoredContents, ControlledServices } from '../control/controlServices.ts';
import type { Clock } from '../time/clock.ts';
import { DerivedClock } from '../time/derivedClock.ts';
import type { SpanSink } from '../domain/traceContext.ts';
import { mayRunProcesses } from '../domain/processImage.ts';
import type { FetchPolicy } from '../images/fetchImage.ts';
import { ImageModel } from '../images/imageModel.ts';
import { openResources } from '../resources/resources.ts';
import { OpenVolumes } from '../files/openVolumes.ts';
import { S3Interface } from '../files/s3Interface.ts';
import { checkHost } from '../routes/access.ts';
import { EndpointImages } from '../endpoints/endpointImages.ts';
import { Engine } from '../endpoints/engine.ts';
import type { HostCapacity } from '../workers/hostCapacity.ts';
import type { CloseOptions } from '../workers/workerPool.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import type { SecretBox } from '../secrets/secretBox.ts';
import { createHandlers, type InstanceHandlers } from './handlers.ts';
import type { PlatformAddresses } from '../routes/services.ts';
import type { Store } from '../store/store.ts';

export interface PlatformInstanceOptions {
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** Has the same time as `clock` but waits in real time, as processes, the network, and the disk require. */
  readonly realClock: Clock;
  /** The actual time, which the control API cannot change. */
  readonly wallClock: Clock;
  readonly apiKey: string;
  readonly signer: SessionSigner;
  readonly rateLimits: RateLimitOptions | undefined;
  readonly log: Logger;
  readonly capacity: HostCapacity;
  /** Maximum size of the logs of all workers, in bytes. Default: 1 GiB. */
  readonly maxLogBytes?: number | undefined;
  /** Whether GPU endpoints run without GPUs. */
  readonly ignoreGpus: boolean;
  /** Whether accounts other than the owner's may run programs on this machine. */
  readonly allowProcessEndpoints: boolean;
  /** Exports traces. Default: nothing does. */
  readonly spans?: SpanSink | undefined;
  readonly graceMs: number;
  readonly imageSources: FetchPolicy;
  /** Encrypts stored secrets. */
  readonly secrets: SecretBox;
  /** If undefined, volumes are deleted when the platform stops. */
  readonly volumesDirectory: string | undefined;
  /** Identifies the data of the platform to the engines that run workers. */
  readonly owner: string;
  readonly addresses: () => PlatformAddresses;
  /** Returns the URL of the worker protocol for programs on this machine. */
  readonly workerUrl: () => string;
  readonly port: () => number;
  /** Origin at which callers reach the platform through a proxy, if any. */
  readonly publicUrl: URL | undefined;
}

/** Services on top of one store, and their request handlers. */
export interface PlatformInstance {
  readonly services: ControlledServices;
  readonly handlers: InstanceHandlers;
  /** Ends processes of an earlier platform that `start` does not take over, and requeues their jobs. */
  recover(): Promise<void>;
  /** Starts the services. Call it once the server listens. */
  start(): void;
  /** Ends the workers and all pending requests. Unfinished jobs stay in the store. */
  end(options?: CloseOptions): Promise<void>;
  /** Closes the store. Call it once no request is left. */
  close(): Promise<void>;
}

export function createPlatformInstance(store: Store, options: PlatformInstanceOptions): PlatformInstance {
  const { runtime, log, capacity, ignoreGpus, graceMs, addresses, owner, workerUrl, spans } = options;
  const clock = new DerivedClock(options.clock);
  const realClock = new DerivedClock(options.realClock);
  const resources = openResources(store, clock, options);
  const engine = new Engine({
    ...{ store, runtime, clock, realClock, log, capacity, ignoreGpus, graceMs },
    ...{ workerUrl, maxLogBytes: options.maxLogBytes, spans },
    referencesOf: (accountId) => {
      const { templates, exists } = resources.of(accountId);
      const permitted = mayRunProcesses(accountId, options.allowProcessEndpoints);
      return { findTemplate: (id) => templates.find(id), exists, mayRunProcesses: permitted };
    },
    mountsOf: resources.mountsOf,
    credentialsOf: (accountId, registryId) => resources.of(accountId).registries.credentials(registryId),
    owner,
  });
  const images = new ImageModel({
    ...{ jobs: engine.jobs, store, clock, realClock, log, sources: options.imageSources },
    origin: () => addresses().baseUrl,
  });
  const accounts = new Accounts(store, clock, options.signer);
  const authenticator = new Authenticator({ apiKey: options.apiKey, accounts, store, clock });
  const bills = new Bills(store.usage, clock);
  const bodies = new BodyThread(realClock);
  const contents: StoredContents = {
    transaction: (work) => store.transaction(work),
    flush: () => store.flush(),
    endpoints: () => store.endpoints.list(),
    charge: (charge) => store.usage.record(charge),
    writeSnapshot: (file) =>
      store.writeSnapshot(file, () => {
        engine.logs.flush();
        engine.storeProgress();
      }),
  };
  const endpointImages = new EndpointImages({ store, clock, services: runtime.images });
  const volumes = new OpenVolumes(resources, options.wallClock);
  const ownerKey = ownerS3Key(options.apiKey);
  const s3 = new S3Interface({
    volumes,
    volumesOf: (accountId) => resources.of(accountId).networkVolumes,
    identify: (accessKeyId) => {
      const isOwner = accessKeyId === ownerKey.accessKeyId;
      const caller = isOwner ? authenticator.owner : authenticator.callerByKeyId(accessKeyId);
      const { secretAccessKey: secret } = isOwner ? ownerKey : s3KeyOf(accessKeyId, options.secrets);
      return caller && { secret, caller };
    },
    wallClock: options.wallClock,
    checkHost: (incoming) => checkHost(incoming, options.port(), options.publicUrl),
    log,
  });
  const services = {
    s3KeyOf: (apiKeyId: string) => s3KeyOf(apiKeyId, options.secrets),
    endpointImages,
    engine,
    accounts,
    authenticator,
    images,
    bills,
    bodies,
    resources,
    contents,
    clock,
    realClock,
    spans,
    addresses,
  };
  return {
    services,
    handlers: createHandlers(services, { ...options, store, s3: s3.listener }),
    recover: async () => {
      await resources.recover();
      await volumes.recover();
      const ended = await engine.recover();
      if (ended > 0) log.warn({ processes: ended }, 'ended processes that an earlier platform left running');
    },
    start: () => {
      engine.start();
      images.start();
      volumes.start();
    },
    end: async (closeOptions) => {
      await images.close();
      await engine.close(closeOptions);
    },
    close: async () => {
      await Promise.all([s3.settled(), volumes.close()]);
      await Promise.all([resources.close(), bodies.close()]);
      // Cancels writes that a full disk has delayed, because the store is about to close.
      clock.end();
      realClock.end();
      store.close();
    },
  };
}
