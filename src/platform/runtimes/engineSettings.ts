import type { VolumeClaim } from './kubernetes/podSpec.ts';

export const RUNTIME_CHOICES = ['auto', 'process', 'kubernetes'] as const;
/**
 * Runtime of images other than process images. `auto`: the container engine. `process`: none, so such images are refused. `kubernetes`: a
 * cluster.
 */
export type RuntimeChoice = (typeof RUNTIME_CHOICES)[number];

/** Selects the engine. Each omitted setting has the default of the engine's own programs. */
export interface EngineSettings {
  /** Default: `auto`. */
  readonly runtime?: RuntimeChoice | undefined;
  /** Address of the container engine, in the form of DOCKER_HOST. */
  readonly containerEngine?: string | undefined;
  /** Address of this machine at which workers on other machines reach it. */
  readonly workerHost?: string | undefined;
  /** Port at which workers in containers and pods reach the platform. Default: a free port. */
  readonly workerPort?: number | undefined;
  /** Ports of the loopback interface of this machine that workers in containers can reach, too. Default: none. */
  readonly forwardedPorts?: readonly number[] | undefined;
  /** Capabilities of all workers in addition to those of `workerCapabilities`, such as `SYS_PTRACE`. */
  readonly workerCapabilities?: readonly string[] | undefined;
  /** Context of the kubeconfig. */
  readonly kubeContext?: string | undefined;
  readonly kubeNamespace?: string | undefined;
  /** Persistent volume claim with the volumes of the platform. Default: none, so that endpoints with volumes cannot start. */
  readonly kubeVolumeClaim?: VolumeClaim | undefined;
  /** Whether pods use an image that their node has without asking its registry. Default: false. */
  readonly kubeNodeImages?: boolean | undefined;
  /** Address of a Service at which pods reach the platform. Default: that of the listener for workers. */
  readonly kubeWorkerUrl?: URL | undefined;
}
