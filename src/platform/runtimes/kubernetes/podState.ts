import type { ContainerState, ContainerStatus, Pod } from 'kubernetes-types/core/v1.js';
import type { ProcessExit } from '../../../contract/systemLines.ts';
import type { StartProgress } from '../../domain/startProgress.ts';
import { exitOfStatus, UNKNOWN_EXIT } from '../exitStatus.ts';
import { StartError } from '../runtime.ts';
import { commandFailure, waitingFailure, type PullAttempt } from './podFailure.ts';
import type { PullState } from './podPulls.ts';

/** The state of a worker that its pod shows. */
export type PodState =
  | { readonly kind: 'pending'; readonly progress: StartProgress | undefined }
  /** The worker did not run, and will not. */
  | { readonly kind: 'failed'; readonly error: StartError }
  /** @param silent why the state of the worker is unknown, because its node does not report */
  | { readonly kind: 'running'; readonly silent: string | undefined }
  | { readonly kind: 'ended'; readonly exit: ProcessExit }
  /** The node of the worker is lost. The worker may still run there. */
  | { readonly kind: 'lost' };

/** @param hasRun whether the worker was seen running, because a pod can lose the state of its containers */
export function podState(pod: Pod, attempt: PullAttempt, hasRun: boolean): PodState {
  const { phase, containerStatuses: [container] = [] } = pod.status ?? {};
  const { reason, message = '' } = pod.status ?? {};
  const why: PodReason = { reason, message };
  const { terminated, running, waiting } = container?.state ?? {};
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  if (terminated && (isOver || pod.metadata?.deletionTimestamp)) return afterEnd(terminated, why, attempt, hasRun);
  if (reason === 'NodeLost')
    return hasRun || running ? { kind: 'lost' } : failed(`the node of the pod was lost. ${message}`);
  if (terminated) return afterEnd(terminated, why, attempt, hasRun);
  if (isOver) {
    if (hasRun) return { kind: 'ended', exit: { ...UNKNOWN_EXIT, ...endReason(why) } };
    // A node that took the pod can still refuse it, with reasons such as OutOfcpu and UnexpectedAdmissionError.
    return failed(`the node refused the pod (${reason ?? 'no reason'}): ${message} The platform tries again.`);
  }
  if (running) return { kind: 'running', silent: silence(pod, container) };
  const failure = waiting && waitingFailure(waiting, attempt);
  if (failure) return { kind: 'failed', error: failure };
  if (pod.metadata?.deletionTimestamp) {
    return hasRun
      ? { kind: 'running', silent: undefined }
      : failed('the pod was deleted before its node reported that the worker runs.');
  }
  return { kind: 'pending', progress: progressOf(pod) };
}

function failed(message: string): PodState {
  return { kind: 'failed', error: new StartError(message) };
}

/**
 * Returns why the state of a running pod is unknown. The cluster sets only the condition Ready of a pod to False if its node does not report.
 * A node itself would also change ContainersReady.
 */
function silence({ status, spec }: Pod, container: ContainerStatus | undefined): string | undefined {
  const condition = (type: string) => status?.conditions?.find((one) => one.type === type)?.status;
  const isSilent = condition('Ready') === 'False' && condition('ContainersReady') === 'True' && container?.ready;
  return isSilent ? `the node ${spec?.nodeName ?? ''} does not report to its cluster` : undefined;
}

function progressOf({ status }: Pod): StartProgress | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') {
    return { kind: 'noPlace', reason: scheduled.message ?? scheduled.reason ?? 'the pod cannot be scheduled' };
  }
  // The node may as well create the container.
  return scheduled?.status === 'True' ? { kind: 'pulling' } : undefined;
}

/**
 * Returns the progress of a start. A node with the pod either pulls the image or creates the container, which only its events tell.
 *
 * @param shown progress that the pod shows
 * @param pull state of the image; undefined if it will be known soon
 */
export function startProgress(
  shown: StartProgress | undefined,
  pull: PullState | undefined,
): StartProgress | undefined {
  // The node can report it before the pod shows its node.
  if (pull === 'pulling') return { kind: 'pulling' };
  if (pull === 'pulled') return { kind: 'placed' };
  if (shown?.kind !== 'pulling' || pull === 'unknown') return shown;
  return pull && { kind: 'placed' };
}

/** Reason of the pod itself. */
interface PodReason {
  readonly reason: string | undefined;
  readonly message: string;
}

type Terminated = NonNullable<ContainerState['terminated']>;

/** Codes of containers whose command could not be executed, of Docker and containerd. */
const NOT_EXECUTED = ['ContainerCannotRun', 'StartError'];

function afterEnd(terminated: Terminated, why: PodReason, attempt: PullAttempt, hasRun: boolean): PodState {
  const { reason = '', message = '', exitCode, signal } = terminated;
  if (NOT_EXECUTED.includes(reason)) return { kind: 'failed', error: commandFailure(message, attempt) };
  // A container that its node did not find again.
  if (reason === 'ContainerStatusUnknown') {
    return hasRun ? { kind: 'ended', exit: UNKNOWN_EXIT } : failed(`the container was lost. ${message}`);
  }
  return { kind: 'ended', exit: { ...exitOfStatus(exitCode, signal), ...endReason(why, reason) } };
}

/** @param reason of the container */
function endReason({ reason: podReason, message }: PodReason, reason = ''): Pick<ProcessExit, 'reason'> {
  if (reason === 'OOMKilled') return { reason: 'outOfMemory' };
  if (podReason !== 'Evicted') return {};
  // The code of an eviction does not name the resource.
  return { reason: /ephemeral|disk/i.test(message) ? 'outOfDisk' : 'evicted' };
}

/**
 * Returns the digest in the ID of a container's image, such as `docker-pullable://example/worker@sha256:…`. Returns undefined for an image
 * that was never in a registry, because only the node has its ID.
 */
export function pulledDigest(imageId: string | undefined): string | undefined {
  return /@(sha256:[0-9a-f]{64})$/.exec(imageId ?? '')?.[1];
}
