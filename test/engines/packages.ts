import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { canInstallDebianPackages, installDebianPackages } from '../../scripts/editor/debian.ts';
import { onPath } from '../../scripts/editor/onPath.ts';

/** Programs or files that the engines and the registry need, with their Debian packages. */
const PACKAGES: Readonly<Record<string, string>> = {
  ...{ dockerd: 'docker.io', podman: 'podman', conmon: 'conmon', runc: 'runc', catatonit: 'catatonit' },
  ...{ iptables: 'iptables', ip: 'iproute2' },
  '/usr/lib/cni/bridge': 'containernetworking-plugins',
  ...{ 'docker-registry': 'docker-registry', htpasswd: 'apache2-utils' },
};

/** Debian's tools start a service after its installation, unless this program forbids it. */
const POLICY = '/usr/sbin/policy-rc.d';

/** Installs the missing packages without starting their services. Rejects with the reason if that is impossible. */
export async function installEngines(): Promise<void> {
  const missing = Object.keys(PACKAGES).filter((name) => !isThere(name));
  if (missing.length === 0) return;
  if (!canInstallDebianPackages())
    throw new Error(`missing: ${missing.join(', ')}; their installation needs root and apt`);
  const isOurs = !existsSync(POLICY);
  if (isOurs) await writeFile(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await installDebianPackages([...new Set(missing.map((name) => PACKAGES[name] ?? name))], () => undefined);
  } finally {
    if (isOurs) await rm(POLICY);
  }
}

const isThere = (name: string): boolean => (name.startsWith('/') ? existsSync(name) : onPath(name) !== undefined);
