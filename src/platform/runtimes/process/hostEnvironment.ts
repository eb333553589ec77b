import type { RunSpec } from '../runSpec.ts';
import { workerEnvironment } from '../workerEnvironment.ts';

/** What a process may know about this machine. Nothing else of the platform's own environment is passed on. */
const PASSED_ON = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TMP', 'TEMP'],
  ...['Path', 'SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'WINDIR'],
];

/** Names the directory of the worker's volume. */
const VOLUME_VARIABLE = 'CLOUD_COMPUTE_VOLUME';

/**
 * The environment of a worker that is a process of this machine. A process sees no mounts: a variable names the directory of its volume
 * instead.
 *
 * @param own the environment of the platform
 */
export function hostEnvironment(
  spec: RunSpec,
  listensOn: (port: number) => number,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const base = Object.fromEntries(PASSED_ON.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
  const [volume] = spec.mounts;
  return {
    ...base,
    ...workerEnvironment(spec, listensOn),
    ...(volume && { [VOLUME_VARIABLE]: volume.directory }),
  };
}
