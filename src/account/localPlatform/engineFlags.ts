/**
 * Settings that the platform gets as flags: those of the engine that runs images, and of the export of traces. An empty text selects the
 * platform's default.
 */
export interface EngineSettings {
  /** `auto`, `process`, or `kubernetes`. */
  readonly runtime: string;
  /** Address in the form of DOCKER_HOST. */
  readonly containerEngine: string;
  /** `auto`, `none`, `ignore`, or a list of indexes or UUIDs. */
  readonly gpus: string;
  readonly kubeContext: string;
  readonly kubeNamespace: string;
  /** IP address at which workers on other machines reach this one. */
  readonly workerHost: string;
  /** Address of an OpenTelemetry collector. */
  readonly otlpEndpoint: string;
}

export const DEFAULT_ENGINE_SETTINGS: EngineSettings = {
  ...{ runtime: 'auto', containerEngine: '', gpus: 'auto' },
  ...{ kubeContext: '', kubeNamespace: '', workerHost: '', otlpEndpoint: '' },
};

const FLAGS: Readonly<Record<keyof EngineSettings, string>> = {
  runtime: '--runtime',
  containerEngine: '--container-engine',
  gpus: '--gpus',
  kubeContext: '--kube-context',
  kubeNamespace: '--kube-namespace',
  workerHost: '--worker-host',
  otlpEndpoint: '--otlp-endpoint',
};

/** Returns the flags of the platform for the settings that differ from the defaults. */
export function engineFlags(settings: EngineSettings): string[] {
  return (Object.keys(FLAGS) as (keyof EngineSettings)[]).flatMap((name) => {
    const value = settings[name].trim();
    return value === '' || value === DEFAULT_ENGINE_SETTINGS[name] ? [] : [FLAGS[name], value];
  });
}
