import type { GpuState } from '../gpus/machineGpus.ts';
import type { DerivedClock } from '../time/derivedClock.ts';
import type { Clock } from '../time/clock.ts';
import type { EndpointImages } from '../endpoints/endpointImages.ts';
import type { ImageServices } from '../runtimes/imageServices.ts';
import type { Services } from '../routes/services.ts';
import type { Contents, Stores } from '../store/store.ts';
import type { Attachments } from './attachments.ts';
import type { Observer } from './observer.ts';
import type { EndpointRecord } from '../domain/endpoint.ts';
import type { S3Key } from '../accounts/s3Keys.ts';
import type { Charge } from '../domain/metering.ts';

/** Access of the control API to all stored data. It bypasses the domain. */
export interface StoredContents {
  /** Runs the work in one transaction. */
  transaction<T>(work: () => T): T;
  /** Resolves once all earlier writes are on disk. */
  flush(): Promise<void>;
  /** Returns all endpoints, including endpoints that the current transaction creates and that start after its commit. */
  endpoints(): EndpointRecord[];
  /** Records a one-time charge. */
  charge(charge: Charge): void;
  /** Writes all data to a new file, including buffered log lines. @throws the store's error */
  writeSnapshot(file: string): Promise<void>;
}

/** Services of one platform instance for the control API. */
export interface ControlledServices extends Services {
  readonly contents: StoredContents;
  readonly endpointImages: EndpointImages;
  /** Returns the key for the S3 interface that belongs to an API key. */
  readonly s3KeyOf: (apiKeyId: string) => S3Key;
}

/** Dependencies of the control API. */
export interface ControlServices {
  readonly attachments: Attachments;
  /** Secret in the lock of the data directory. */
  readonly holder: string;
  /** The engine and its images. Undefined if the platform runs only processes. */
  readonly images: ImageServices | undefined;
  /** Returns the GPUs of this machine that workers may use. */
  readonly gpus: () => readonly GpuState[];
  /** Whether an imported endpoint with this account and image may start. */
  readonly mayStart: (accountId: string, image: string) => boolean;
  readonly clock: DerivedClock;
  /** Waits in real time, as connections do. */
  readonly realClock: Clock;
  readonly observer: Observer;
  /** Returns the services of the current instance. A reset or an import replaces the instance. */
  readonly instance: () => ControlledServices;
  readonly tryImport: Stores['tryImport'];
  /** Ends the current instance and starts one with other contents. @throws SnapshotError; the stored data is then unchanged */
  readonly replace: (contents: Exclude<Contents, 'kept'>) => Promise<void>;
  /** Deletes all data and starts an empty instance. */
  readonly reset: () => Promise<undefined>;
  /** Requests a stop from the code that started the platform. */
  readonly stop: () => void;
}
