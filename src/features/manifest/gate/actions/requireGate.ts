import { fileURLToPath } from 'node:url';
import type { Manifest } from '../../../../contract/manifest.ts';
import { letsPass, verdictOf, type GatedManifest } from './gateVerdicts.ts';

/** Why the gate of a manifest does not let its content pass. `missing`: it has not run for exactly this content. `failed`: it failed. */
export type GateState = 'missing' | 'failed';

export interface DeployedManifest {
  /** URI or path of the file. Undefined for a text without a file, which has no verdict. */
  readonly file: string | undefined;
  readonly manifest: Manifest;
  /** The endpoint as the file has it, without an environment. */
  readonly value: unknown;
  readonly target: 'local' | 'hosted';
}

/**
 * Returns why `x-gate` forbids the deployment of a manifest, or undefined if it may be deployed. The local platform needs no gate, because
 * workers are tried there.
 */
export async function gateStateOf(deployed: DeployedManifest): Promise<GateState | undefined> {
  const { manifest, value, target } = deployed;
  if (target === 'local' || manifest['x-gate']?.require !== true) return undefined;
  const file = pathOf(deployed.file);
  const verdict = file === undefined ? undefined : await verdictOf({ manifest: file, value });
  if (letsPass(verdict)) return undefined;
  return verdict ? 'failed' : 'missing';
}

/** Returns the manifest of a verdict. Undefined if its file is not on this machine. */
export function gatedOf({ file, value }: Pick<DeployedManifest, 'file' | 'value'>): GatedManifest | undefined {
  const manifest = pathOf(file);
  return manifest === undefined ? undefined : { manifest, value };
}

function pathOf(file: string | undefined): string | undefined {
  if (file === undefined || !/^[a-z][a-z0-9+.-]+:\/\//i.test(file)) return file;
  return file.startsWith('file:') ? fileURLToPath(file) : undefined;
}
