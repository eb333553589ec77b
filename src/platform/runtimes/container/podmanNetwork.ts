import type { RunLabels } from '../runSpec.ts';
import { createContainer, removeContainer } from './containerApi.ts';
import { containerName, labelsOf } from './containerLabels.ts';
import type { Engine } from './engine.ts';

/** Version of Podman's own API, which can prepare a container without running its program. */
const LIBPOD = '/v4.0.0/libpod';

/**
 * Calls back while the bridge of a network of Podman exists. Podman creates it for the first container, and newer versions remove it with
 * the last one. A container that never runs keeps it in the meantime.
 *
 * @throws EngineError; the error of the callback
 */
export async function whileNetworkIsUp(
  engine: Engine,
  { labels, image, network }: { readonly labels: RunLabels; readonly image: string; readonly network: string },
  callback: () => Promise<void>,
): Promise<void> {
  const name = `${containerName(labels.runId)}-network`;
  try {
    // The labels of the run let the next platform remove it if this one is killed.
    const host = { NetworkMode: network };
    const body = { Image: image, Cmd: ['-'], Labels: labelsOf(labels), HostConfig: host };
    const id = await createContainer(engine, name, body);
    await engine.api.json({ method: 'POST', path: `${LIBPOD}/containers/${id}/init` });
    await callback();
  } finally {
    await removeContainer(engine, name);
  }
}
