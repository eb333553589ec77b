import { realpath } from 'node:fs/promises';
import type { XRayEvent } from '../../contract/control/controlTraces.ts';
import type { DebugEvent, RestartedEndpoint } from '../../contract/control/controlWorkers.ts';
import { controlOperations } from '../../contract/control/controlOperations.ts';
import { PROCESS_IMAGE_PREFIX } from '../../contract/processImage.ts';
import { isProcessImage } from '../domain/processImage.ts';
import { concernsWorker } from '../domain/workerFiles.ts';
import type { LiveEndpoint } from '../workers/liveEndpoint.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlServices } from './controlServices.ts';
import { eventStream } from './eventStream.ts';

/** Routes for developing workers: debugging, measured starts, and restarts after changes of their files. */
export function developmentRoutes(app: ControlApp, { instance, realClock }: ControlServices): void {
  controlRoute(app, controlOperations.debugWorker, ({ parameters: { endpointId }, body }) => {
    const endpoint = instance().engine.endpoint(endpointId);
    return eventStream<DebugEvent>(realClock, ({ send, close }) =>
      endpoint.debug(body, (event) => {
        send(event);
        if (event.event === 'ended' || event.event === 'failed') close();
      }),
    );
  });
  controlRoute(app, controlOperations.attachedDebugger, ({ parameters: { endpointId, debuggerId } }) => {
    instance().engine.endpoint(endpointId).attachedDebugger(debuggerId);
    return undefined;
  });
  controlRoute(app, controlOperations.xRayStart, ({ parameters: { endpointId } }) => {
    const { engine } = instance();
    const endpoint = engine.endpoint(endpointId);
    const startOf = (workerId: string) => engine.traces.ofWorker(endpoint.endpoint.id, workerId);
    return eventStream<XRayEvent>(realClock, ({ send, close }) =>
      endpoint.measureStart({ realClock, startOf }, (event) => {
        send(event);
        if (event.event === 'ready' || event.event === 'failed') close();
      }),
    );
  });
  controlRoute(app, controlOperations.restartWorkers, async ({ body: { files } }) => {
    const places = [...new Set([...files, ...(await Promise.all(files.map(resolved)))])];
    const processes = instance()
      .engine.endpoints()
      .filter(({ endpoint }) => isProcessImage(endpoint.image));
    const concerned = await Promise.all(processes.map((live) => isConcerned(live, places)));
    return { endpoints: processes.filter((_, index) => concerned[index]).map(renewed) };
  });
}

async function isConcerned({ endpoint }: LiveEndpoint, files: readonly string[]): Promise<boolean> {
  const directory = endpoint.image.slice(PROCESS_IMAGE_PREFIX.length);
  const directories = [directory, await resolved(directory)];
  return directories.some((one) => files.some((file) => concernsWorker(one, file)));
}

/** Follows symbolic links. A deleted file keeps its path. */
const resolved = (file: string): Promise<string> => realpath(file).catch(() => file);

function renewed(live: LiveEndpoint): RestartedEndpoint {
  const { id, name } = live.endpoint;
  return { id, name, ...live.renewWorkers('a file has changed') };
}
