import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onPath } from '../../scripts/editor/onPath.ts';
import type { Bridge } from './bridge.ts';
import { createSite, EngineProcess, type EngineSite } from './engineProcess.ts';

/** Starts Podman behind the API of Docker, with its own storage, events, and network. */
export async function startPodman(): Promise<EngineProcess> {
  const site = createSite(86);
  const at = (name: string): string => path.join(site.directory, name);
  mkdirSync(at('networks'));
  writeFileSync(at('containers.conf'), configuration(site));
  writeFileSync(at('networks/podman.conflist'), JSON.stringify(network(site)));
  writeFileSync(at('registries.conf'), '[[registry]]\nlocation = "127.0.0.1"\ninsecure = true\n');
  const engine = new EngineProcess(site, {
    program: 'podman',
    args: [
      ...['--root', at('root'), '--runroot', at('run'), '--log-level', 'warn'],
      ...['system', 'service', '--time', '0', `unix://${site.socket}`],
    ],
    environment: {
      CONTAINERS_CONF: at('containers.conf'),
      CONTAINERS_REGISTRIES_CONF: at('registries.conf'),
      REGISTRY_AUTH_FILE: at('auth.json'),
    },
  });
  try {
    await engine.start();
  } catch (error) {
    await engine.down();
    throw error;
  }
  return engine;
}

/** Without systemd, the defaults for events and cgroups do not work. */
function configuration(site: EngineSite): string {
  return `[containers]
init_path = "${onPath('catatonit') ?? ''}"
cgroup_parent = "/${site.bridge.name}"
[engine]
runtime = "tests"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "${site.directory}/tmp"
lock_type = "file"
[engine.runtimes]
tests = ["${ociRuntime(site)}"]
[network]
network_backend = "cni"
network_config_dir = "${site.directory}/networks"
`;
}

function network({ directory, bridge }: { directory: string; bridge: Bridge }) {
  const ranges = [[{ subnet: `${bridge.network}.0/24`, gateway: bridge.gateway }]];
  const ipam = { type: 'host-local', dataDir: `${directory}/ipam`, routes: [{ dst: '0.0.0.0/0' }], ranges };
  const plugins = [
    { type: 'bridge', bridge: bridge.name, isGateway: true, ipMasq: true, hairpinMode: true, ipam },
    { type: 'portmap', capabilities: { portMappings: true } },
    ...[{ type: 'firewall' }, { type: 'tuning' }],
  ];
  return { cniVersion: '0.4.0', name: 'podman', plugins };
}

/** Bit of CAP_SYS_RESOURCE. */
const RESOURCE_BIT = 24n;

/**
 * Returns the program that runs containers. Podman's root raises the limits of containers, which needs a capability. Without it, the
 * program lowers them to those of this machine first.
 */
function ociRuntime({ directory }: EngineSite): string {
  const runc = onPath('runc') ?? 'runc';
  const capabilities = /^CapEff:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  if ((BigInt(`0x${capabilities}`) >> RESOURCE_BIT) & 1n) return runc;
  const file = path.join(directory, 'runc-within-limits');
  const script = path.join(import.meta.dirname, 'withinLimits.mjs');
  writeFileSync(
    file,
    `#!/bin/sh\ncase " $* " in *" create "* | *" exec "*) '${process.execPath}' '${script}' "$@" ;; esac\nexec '${runc}' "$@"\n`,
  );
  chmodSync(file, 0o755);
  return file;
}
