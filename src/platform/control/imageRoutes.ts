import type { EngineState, PullEvent } from '../../contract/control/controlImages.ts';
import { controlOperations } from '../../contract/control/controlOperations.ts';
import { OWNER_ACCOUNT_ID } from '../domain/account.ts';
import { Refusal } from '../domain/refusal.ts';
import type { EventStream } from '../routes/route.ts';
import type { GpuState } from '../gpus/machineGpus.ts';
import type { ImageServices } from '../runtimes/imageServices.ts';
import type { Clock } from '../time/clock.ts';
import { StartError } from '../runtimes/runtime.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlServices } from './controlServices.ts';
import { eventStream } from './eventStream.ts';

/** Route of health checks, which have no key. */
export function healthRoute(app: ControlApp): void {
  controlRoute(app, controlOperations.getHealth, () => ({ status: 'ok' as const }), { open: true });
}

/** Routes for the engine that runs images, and for its images. */
export function imageRoutes(app: ControlApp, { instance, images, gpus, realClock }: ControlServices): void {
  controlRoute(app, controlOperations.getEngine, () => engineState(images, gpus()));
  controlRoute(app, controlOperations.listImages, async () => ({
    images: await answering(instance().endpointImages.list()),
  }));
  controlRoute(app, controlOperations.pullImage, ({ body: { image, registryId } }) => {
    const { endpointImages, resources } = instance();
    const credentials =
      registryId === undefined ? undefined : resources.of(OWNER_ACCOUNT_ID).registries.credentials(registryId);
    return pullEvents(realClock, ({ onProgress, signal }) =>
      endpointImages.pull({ image, registryId, credentials, onProgress, signal }),
    );
  });
  controlRoute(app, controlOperations.removeImage, ({ parameters: { id } }) =>
    answering(instance().endpointImages.remove(id)).then(() => undefined),
  );
}

async function engineState(images: ImageServices | undefined, gpus: readonly GpuState[]): Promise<EngineState> {
  const engine = (await images?.describe()) ?? null;
  return {
    runtime: images && engine ? images.runtime : 'process',
    engine,
    gpus: gpus.map(({ uuid: id, name, memoryMb, inUse }) => ({ id, name, memoryMb, inUse })),
  };
}

interface PullObserver {
  readonly onProgress: (percent: number | undefined) => void;
  readonly signal: AbortSignal;
}

/** Streams the progress of a pull and its result. Aborts the pull when the caller closes the stream. */
function pullEvents(clock: Clock, pull: (observer: PullObserver) => Promise<{ readonly digest: string }>): EventStream {
  return eventStream<PullEvent>(clock, ({ send, close, fail }) => {
    const abort = new AbortController();
    const onProgress = (percent: number | undefined): void => send({ event: 'progress', percent });
    const ended = pull({ onProgress, signal: abort.signal }).then(
      ({ digest }) => send({ event: 'done', digest }),
      (error: unknown) => {
        if (!(error instanceof StartError)) throw error;
        send({ event: 'failed', problem: error.problem, reason: error.message });
      },
    );
    ended.then(close, fail);
    return () => abort.abort();
  });
}

/** Converts the error of an engine that does not respond. @throws Refusal 503; any other error */
async function answering<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof StartError ? new Refusal(503, error.message) : error;
  }
}
