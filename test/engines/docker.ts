import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createBridge } from './bridge.ts';
import { createSite, EngineProcess } from './engineProcess.ts';

/** Starts a Docker engine with its own data, socket, and bridge. Its containers keep running when it is killed. */
export async function startDocker(): Promise<EngineProcess> {
  const site = createSite(87);
  const at = (name: string): string => path.join(site.directory, name);
  // The settings of this machine's own engine do not apply.
  writeFileSync(at('daemon.json'), '{}');
  const engine = new EngineProcess(site, {
    program: 'dockerd',
    args: [
      ...['--config-file', at('daemon.json'), '--data-root', at('data'), '--exec-root', at('exec')],
      ...['--pidfile', at('pid'), '-H', `unix://${site.socket}`, '--bridge', site.bridge.name],
      ...['--cgroup-parent', `/${site.bridge.name}`, '--exec-opt', 'native.cgroupdriver=cgroupfs', '--live-restore'],
    ],
    pidFiles: [at('pid'), at('exec/containerd/containerd.pid')],
    // Docker 20.10 that is killed while it removes a network panics at each start: see docs/local-platform.md.
    networksFile: at('data/network/files/local-kv.db'),
  });
  try {
    createBridge(site.bridge);
    await engine.start();
  } catch (error) {
    await engine.down();
    throw error;
  }
  return engine;
}
