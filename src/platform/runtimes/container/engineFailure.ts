import type { StartProblem } from '../../../contract/startProblem.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import { StartError } from '../runtime.ts';
import type { Engine } from '../../../machine/engine/engine.ts';
import { EngineAddressError, sourceWords, type EngineRoute } from '../../../machine/engine/engineRoute.ts';

/* Errors of an engine as errors of a start, with the engine's own reason and a remedy. */

/** Returns the error for a platform without a container engine. @param image of the worker; omitted if there is none */
export function engineMissing(image?: string): StartError {
  const [needed, otherwise] =
    image === undefined
      ? ['images need', '']
      : [
          `the image ${image} needs`,
          ' To run the worker as a process on this machine, add an "x-local" section (directory, command) to the manifest.',
        ];
  return new StartError(
    `${needed} a container engine, and none was found. ` +
      `Install or start Docker or Podman, or set the address of an engine (--container-engine, DOCKER_HOST).${otherwise}`,
    { problem: 'engineMissing' },
  );
}

/** Returns the error for an engine that cannot be found. Other errors are returned unchanged. */
export function addressFailure(error: unknown): unknown {
  if (!(error instanceof EngineAddressError)) return error;
  return new StartError(error.message, { problem: 'engineMissing', cause: error });
}

/** Returns the error for an engine that does not answer. */
export function engineUnreachable({ address, source }: EngineRoute, cause: EngineError): StartError {
  const remedy =
    cause.code === 'EACCES'
      ? 'Allow this user to use it, for example through the group "docker", and log in again.'
      : 'Start it, or correct its address.';
  return new StartError(
    `the container engine at ${address} (from ${sourceWords(source)}) cannot be reached: ${reasonOf(cause)}. ${remedy}`,
    {
      problem: 'engineUnreachable',
      cause,
    },
  );
}

interface Class {
  readonly matches: RegExp;
  readonly problem?: StartProblem;
  readonly remedy: string;
}

/**
 * Classes of errors for which engines have no codes. Docker and Podman report them with the same status as other errors, so this list
 * recognizes them by their texts. It is the only place that does so for starts.
 */
const CLASSES: readonly Class[] = [
  {
    matches: /could not select device driver|nvidia-container|no such device.*nvidia|unresolvable CDI devices/i,
    problem: 'noGpu',
    remedy: 'Install the container toolkit of the GPU on the engine, or allow the endpoint to run without a GPU.',
  },
  {
    matches: /exec format error/i,
    problem: 'wrongPlatform',
    remedy: 'Build the image for the processor of this machine.',
  },
  {
    matches:
      /executable file not found|exec: .*(no such file|not found|permission denied|is a directory)|command that was not found|no command specified|no such file or directory: OCI not found|OCI permission denied/is,
    problem: 'badCommand',
    remedy: 'Correct the entrypoint or the command. Programs and paths are those of the image.',
  },
  {
    matches: /no space left on device|disk quota exceeded/i,
    problem: 'noSpace',
    remedy: 'Remove unused images and containers from the engine, or free space on its disk.',
  },
  {
    matches: /address already in use|port is already allocated/i,
    remedy: 'The next start uses another port.',
  },
  {
    matches: /minimum memory limit/i,
    remedy: 'Choose hardware with more memory.',
  },
];

/** Returns the error for a request that failed while a container was created or started. Other errors are returned unchanged. */
export function startFailure({ route }: Engine, error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  if (error.unreachable) return engineUnreachable(route, error);
  const reason = reasonOf(error);
  const { problem, remedy } = CLASSES.find(({ matches }) => matches.test(reason)) ?? {};
  const message = `the engine cannot run the container: ${reason}${remedy === undefined ? '' : `. ${remedy}`}`;
  return new StartError(message, { ...(problem && { problem }), cause: error });
}

/** Returns whether the message of an engine means that a program is missing in a container, or cannot be executed. */
export function isBadCommand(message: string): boolean {
  return CLASSES.some(({ problem, matches }) => problem === 'badCommand' && matches.test(message));
}

/** Returns whether the engine has refused a limit of the disk, which few storage drivers support. */
export function isDiskLimitRefused(error: unknown): boolean {
  return error instanceof EngineError && /storage[-_ ]?opt|overlay\.size|quota/i.test(error.message);
}

const reasonOf = ({ message }: EngineError): string => message.trim().replace(/\.$/, '');
