import type { StartProblem } from '../../../contract/startProblem.ts';
import { EngineError } from '../../../machine/engine/engineApi.ts';
import { ExecError, StartError } from '../runtime.ts';

/** The image of a pull, and whether it has a credential. */
export interface PullAttempt {
  readonly image: string;
  readonly hasCredentials: boolean;
}

/**
 * Patterns of a node's messages about a failed pull. Kubernetes reports only the code ErrImagePull, so this table is the one place that
 * classifies texts. The words are those of Docker, containerd, CRI-O, and registries.
 */
const PULL_MESSAGES: readonly (readonly [RegExp, StartProblem | 'access'])[] = [
  [/toomanyrequests|too many requests|rate limit/i, 'rateLimited'],
  [/no space left/i, 'noSpace'],
  [/no matching manifest|no match for platform|exec format/i, 'wrongPlatform'],
  [/unauthorized|authentication required|authorization failed|no basic auth|access denied|forbidden|denied/i, 'access'],
  [/manifest.* (?:unknown|not found)|name unknown|repository .*not found|not found|does not exist/i, 'imageNotFound'],
  [
    /connection refused|no such host|i\/o timeout|dial tcp|TLS handshake|deadline exceeded|timeout|x509|server gave HTTP/i,
    'registryUnreachable',
  ],
  [
    /unexpected (?:http )?status|internal server error|service unavailable|bad gateway|gateway timeout/i,
    'registryFailing',
  ],
];

/** @param message of the node */
export function pullFailure(message: string, { image, hasCredentials }: PullAttempt): StartError {
  const found = PULL_MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
  const problem = found === 'access' ? (hasCredentials ? 'credentialsRefused' : 'credentialsMissing') : found;
  const remedy = problem && PULL_REMEDIES[problem];
  return new StartError(`${image} cannot be pulled: ${shortened(message)}${remedy ? ` ${remedy}` : ''}`, {
    ...(problem && { problem }),
  });
}

const PULL_REMEDIES: Partial<Record<StartProblem, string>> = {
  credentialsRefused: 'Correct the registry credential of the endpoint.',
  credentialsMissing: 'Check the name of the image, or select a registry credential for the endpoint.',
  imageNotFound: 'Check the name and the tag of the image.',
  registryUnreachable: "Check the registry's address, and the network of the cluster's nodes.",
  registryFailing: 'The registry answers with an error. Wait, or ask its operator.',
  rateLimited: 'Select a registry credential with a higher limit, or wait.',
  wrongPlatform: "Build the image for the platform of the cluster's nodes.",
  noSpace: 'Free some space on the nodes of the cluster.',
};

/** Reasons of a waiting container that do not go away, except those of a pull. */
const WAITING_REASONS: Readonly<Record<string, { readonly words: string; readonly problem?: StartProblem }>> = {
  InvalidImageName: { words: 'the name of the image is not valid. Correct it', problem: 'imageNotFound' },
  ErrImageNeverPull: { words: 'the node does not have the image', problem: 'imageNotFound' },
  ImageInspectError: { words: 'the image cannot be read' },
  CreateContainerConfigError: { words: 'the container cannot be configured' },
  CreateContainerError: { words: 'the container cannot be created' },
  RunContainerError: { words: 'the container cannot be started', problem: 'badCommand' },
  CrashLoopBackOff: { words: 'the container cannot be started', problem: 'badCommand' },
  RegistryUnavailable: { words: 'the registry cannot be reached', problem: 'registryUnreachable' },
};

/** Returns the failure that a waiting container reports; undefined if it can still start. */
export function waitingFailure(
  { reason = '', message = '' }: { reason?: string; message?: string },
  attempt: PullAttempt,
): StartError | undefined {
  if (reason === 'ErrImagePull' || reason === 'ImagePullBackOff') return pullFailure(message, attempt);
  const found = WAITING_REASONS[reason];
  if (!found) return undefined;
  const { words, problem } = found;
  const details = shortened(message);
  return new StartError(
    `${attempt.image}: ${words}${details === '' ? '.' : `: ${details}`}`,
    problem ? { problem } : {},
  );
}

/** Returns the failure of a container that ended before its command ran. */
export function commandFailure(message: string, { image }: PullAttempt): StartError {
  return new StartError(
    `the command of the worker cannot run in ${image}: ${shortened(message)} Check entrypoint, cmd, and args.`,
    { problem: 'badCommand' },
  );
}

/** Statuses below 500 of a cluster that cannot answer now: a timeout, and too many requests. */
const BUSY: readonly (number | undefined)[] = [408, 429];

/** Whether the cluster certainly refuses a request, or it cannot be sent, as opposed to a cluster that does not answer now. */
export function isRefused(error: Error): boolean {
  if (!(error instanceof EngineError)) return true;
  const { status } = error;
  return status !== undefined && status < 500 && !BUSY.includes(status);
}

/** The fields of the API's errors that matter. */
interface StatusBody {
  readonly reason?: string;
}

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;

/** Returns the failure of a request. @param server address of the cluster */
export function requestFailure(
  error: EngineError,
  { server, namespace }: { server: string; namespace: string },
): StartError {
  const { status, message, body } = error;
  const because = (words: string, problem?: StartProblem): StartError =>
    new StartError(words, { ...(problem && { problem }), cause: error });
  switch (status) {
    case undefined:
      return because(`${message}. Start the cluster, or check the kubeconfig and the network.`, 'engineUnreachable');
    case UNAUTHORIZED:
      return because(`the cluster ${server} does not accept the credentials of the kubeconfig. Log in again.`);
    case FORBIDDEN:
      // A quota has the same status and code as a missing permission.
      if (/exceeded quota|LimitRange|maximum .* usage/i.test(message)) {
        return because(
          `the namespace ${namespace} has no room: ${message}. Raise its quota, or use a smaller endpoint.`,
        );
      }
      return because(
        `the cluster refuses access: ${message}. Give the account the permissions that docs/containers.md lists, or select another context or namespace.`,
      );
    case NOT_FOUND:
      return because(
        `the namespace ${namespace} does not exist. Create it, or select another one with --kube-namespace.`,
      );
    default:
      return because(`the cluster refuses the pod: ${(body as StatusBody | undefined)?.reason ?? status}: ${message}`);
  }
}

/** Returns whether a message of a node means that a program is missing in a container, or cannot be executed. */
export function isBadCommand(message: string): boolean {
  return /executable file not found|no such file or directory|command not found|permission denied/i.test(message);
}

/** Returns the failure of a request for a program beside a worker. @param isOver whether the worker has ended */
export function execFailure(error: EngineError, isOver: boolean): ExecError {
  const { status, message } = error;
  const because = (problem: ExecError['problem'], words = message) => new ExecError(problem, words, { cause: error });
  if (isOver || status === NOT_FOUND) return because('ended');
  if (!isRefused(error)) return because('unreachable');
  if (status !== UNAUTHORIZED && status !== FORBIDDEN) return because('other');
  const remedy = 'Give the account the permission pods/exec that docs/containers.md lists.';
  return because('forbidden', `the cluster refuses access: ${message}. ${remedy}`);
}

const MAX_MESSAGE_LENGTH = 500;

/** Ends with a period. */
function shortened(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE_LENGTH);
  return line === '' || line.endsWith('.') ? line : `${line}.`;
}
