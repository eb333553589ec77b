import { DEFAULT_TIMEOUT_MS, Flashboot, Scaling, WORKER_DEFAULTS } from '../../../contract/endpointSettings.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import type { TunedSubject } from '../actions/tune.ts';
import type { TunedSettings } from './candidates.ts';

/** Returns what to tune of a manifest. */
export function subjectOfManifest(manifest: Manifest): TunedSubject {
  const { name, type, scaling, workers = {}, flashboot = 'OFF', timeout = DEFAULT_TIMEOUT_MS } = manifest;
  const { min = WORKER_DEFAULTS.min, max = WORKER_DEFAULTS.max, idleTimeout = WORKER_DEFAULTS.idleTimeout } = workers;
  return {
    ...{ name, type, timeoutMs: timeout, hardware: manifest, endpoint: undefined },
    settings: { scaling, min, max, idleTimeout, flashboot },
  };
}

/** Returns what to tune of an endpoint. Undefined if this program does not know its scaling rule. */
export function subjectOfEndpoint(endpoint: Endpoint): TunedSubject | undefined {
  const { name, type, workers, timeout } = endpoint;
  const { type: rule, queueDelay, requestCount } = endpoint.scaling;
  const scaling = Scaling.safeParse(
    rule === 'QUEUE_DELAY' ? { type: rule, queueDelay } : { type: rule, requestCount },
  ).data;
  if (!scaling) return undefined;
  const { min, max, idleTimeout = WORKER_DEFAULTS.idleTimeout } = workers;
  return {
    ...{ name, timeoutMs: timeout, hardware: endpoint, endpoint },
    type: type === 'LOAD_BALANCER' ? 'LOAD_BALANCER' : 'QUEUE',
    settings: { scaling, min, max, idleTimeout, flashboot: flashbootOf(endpoint) },
  };
}

function flashbootOf({ flashboot }: Endpoint): TunedSettings['flashboot'] {
  return Flashboot.safeParse(flashboot).data ?? 'OFF';
}
