import type { RunSpec } from '../runSpec.ts';
import type { StartOptions } from '../runtime.ts';

/** The image of a run, on the engine. */
export interface EngineImage {
  /** The engine's ID, such as `sha256:0123…`. The container is created from it, so a tag that moves in the meantime has no effect. */
  readonly id: string;
  /** Parts of the image's configuration that the command of a worker depends on. */
  readonly config: EngineImageConfig;
  /** Architecture that it is built for, such as `amd64`; empty if the engine does not report one. */
  readonly architecture: string;
}

export interface EngineImageConfig {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
}

/** Images of a container engine. */
export interface ContainerImages {
  /**
   * Ensures that the engine has the image of a run: the pinned digest if there is one, else the image with the tag.
   *
   * @throws StartError with a problem; the signal's reason
   */
  ensure(
    spec: RunSpec,
    options: Pick<StartOptions, 'onProgress' | 'onImage' | 'wasPulled' | 'signal'>,
  ): Promise<EngineImage>;
}
