import { NODE_OPTIONS, withInspectorPort } from '../../domain/debugCommand.ts';
import type { RunSpec } from '../runSpec.ts';
import { workerEnvironment } from '../workerEnvironment.ts';

/** Variables that a worker process inherits from the platform. It inherits no others. */
const INHERITED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TMP', 'TEMP'],
  ...['Path', 'SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'WINDIR'],
];

/** Variable with the directory of the worker's volume. */
const VOLUME_VARIABLE = 'CLOUD_COMPUTE_VOLUME';

/** Variable with the GPUs that the process may use. Read by CUDA. */
const GPUS_VARIABLE = 'CUDA_VISIBLE_DEVICES';

/**
 * Returns the environment of a worker that runs as a process on this machine. A process has no mounts, so a variable contains the directory
 * of its volume.
 *
 * @param own the environment of the platform
 */
export function hostEnvironment(
  spec: RunSpec,
  listensOn: (port: number) => number,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const base = Object.fromEntries(INHERITED.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
  const [volume] = spec.mounts;
  const { gpuDevices } = spec.resources;
  const worker = workerEnvironment(spec, { listensOn });
  return {
    ...base,
    // Without this, a worker without GPUs would use those of other workers. The endpoint can override it.
    ...(gpuDevices?.length === 0 && { [GPUS_VARIABLE]: '' }),
    ...worker,
    [NODE_OPTIONS]: withInspectorPort(worker[NODE_OPTIONS]),
    ...(gpuDevices && gpuDevices.length > 0 && { [GPUS_VARIABLE]: gpuDevices.join(',') }),
    ...(volume && { [VOLUME_VARIABLE]: volume.directory }),
  };
}
