import type { ImageInspect, JSONMessage } from '@docker/node-sdk';
import { EngineError } from '../engineApi.ts';
import { StartError } from '../runtime.ts';
import type { ContainerImages, EngineImage } from './containerImages.ts';
import type { Engine } from './engine.ts';
import { startFailure } from './engineFailure.ts';

const NOT_FOUND = 404;

/** Uses the images of the engine, and pulls missing ones without credentials. */
export function localImages(engine: Engine): ContainerImages {
  const { api, prefix } = engine;

  const find = async (name: string, signal: AbortSignal): Promise<EngineImage | undefined> => {
    try {
      const { Id: id = name, Config: config } = await api.json<ImageInspect>({
        path: `${prefix}/images/${name}/json`,
        signal,
      });
      return { id, config: { entrypoint: config?.Entrypoint ?? [], cmd: config?.Cmd ?? [] } };
    } catch (error) {
      if (error instanceof EngineError && error.status === NOT_FOUND) return undefined;
      throw error;
    }
  };

  const pull = async (name: string, signal: AbortSignal): Promise<void> => {
    const request = { method: 'POST', path: `${prefix}/images/create`, query: { fromImage: name }, signal } as const;
    for await (const { errorDetail } of api.lines<JSONMessage>(request)) {
      if (errorDetail)
        throw new StartError(`the image ${name} cannot be pulled: ${errorDetail.message ?? 'unknown reason'}`);
    }
  };

  return {
    ensure: async ({ image }, { onProgress, onImage, signal }) => {
      try {
        let found = await find(image, signal);
        if (!found) {
          onProgress({ kind: 'pulling' });
          await pull(image, signal);
          found = await find(image, signal);
        }
        if (!found) throw new StartError(`the image ${image} does not exist`, { problem: 'imageNotFound' });
        onImage(found.id);
        return found;
      } catch (error) {
        throw startFailure(engine, error);
      }
    },
  };
}
