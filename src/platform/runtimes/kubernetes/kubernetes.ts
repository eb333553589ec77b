import { repeat } from '../backoff.ts';
import { LeftoverSchedule } from '../leftoverSchedule.ts';
import { Reachability } from '../reachability.ts';
import type { Runtime } from '../runtime.ts';
import type { KubernetesCluster, KubernetesOptions } from './kubernetesCluster.ts';
import { handleOf, kubernetesHandles, type KubernetesHandle } from './podIdentity.ts';

/**
 * Runs each worker as a pod of its own, which is created and deleted here. A controller such as a ReplicaSet would choose which pod to end,
 * and would restart pods without their exit codes.
 */
export function kubernetesRuntime(options: KubernetesOptions): Runtime {
  const closed = new AbortController();
  let opened: Promise<KubernetesCluster> | undefined;
  const open = (): Promise<KubernetesCluster> => {
    const opening = (opened ??= openCluster(options));
    // A corrected kubeconfig is read at the next start.
    opening.catch(() => {
      if (opened === opening) opened = undefined;
    });
    return opening;
  };
  const endOrphans = async (orphans: readonly KubernetesHandle[]): Promise<number> =>
    (await open()).endOrphans(orphans);
  const leftovers = new LeftoverSchedule(async (openRuns) => (await open()).sweep(openRuns), {
    clock: options.clock,
    onFailure: (error) => options.log.warn({ err: error }, 'cannot search for leftover pods and secrets'),
  });
  const reachability = new Reachability(async (signal) => (await open()).probe(signal), options.clock);
  return {
    canFreeze: () => false,
    canAdopt: () => true,
    placesGpus: () => true,
    handleOf: ({ runId }) => handleOf(runId, null),
    start: async (spec, startOptions) => {
      try {
        return await (await open()).start(spec, startOptions);
      } catch (error) {
        leftovers.soon();
        throw error;
      }
    },
    adopt: async (handle, spec, adoptOptions) => {
      const [found] = kubernetesHandles([handle]);
      return found && (await open()).adopt(found, spec, adoptOptions);
    },
    // The autoscaler of a cluster adds machines for the pods that wait.
    concurrentStarts: () => Infinity,
    untilReachable: (_image, signal) => reachability.until(signal),
    keepClean: (openRuns) => leftovers.start(openRuns),
    endOrphans: async (handles) => {
      const orphans = kubernetesHandles(handles);
      if (orphans.length === 0) return 0;
      try {
        return await endOrphans(orphans);
      } catch (error) {
        // The platform starts without its cluster, and ends the orphans once it can.
        options.log.warn({ err: error }, 'cannot end the pods of the previous platform yet');
        void repeat(() => endOrphans(orphans), { clock: options.clock, signal: closed.signal }).catch(() => undefined);
        return 0;
      }
    },
    close: async () => {
      closed.abort();
      leftovers.close();
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** Loads the code and the kubeconfig only if they are needed. */
async function openCluster(options: KubernetesOptions): Promise<KubernetesCluster> {
  const { KubernetesCluster } = await import('./kubernetesCluster.ts');
  const { clusterAccess } = await import('./access/clusterAccess.ts');
  return new KubernetesCluster(await clusterAccess(options), options);
}
