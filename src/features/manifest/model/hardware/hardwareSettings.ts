import * as z from 'zod';
import { CpuRequest, GpuRequest, Mounts, WorkerSettings } from '../../../../contract/endpointSettings.ts';
import type { HardwareSettings } from '../../../../account/hardware/hardwareNeeds.ts';
import type { ManifestPart } from '../manifestFile.ts';
import type { ManifestProblem } from '../problem.ts';
import { valueOfTree } from '../text/node.ts';

/* The settings of a manifest that restrict its hardware. Broken fields count as missing, because the choice can correct them. */

const Strings = z.array(z.string()).optional().catch(undefined);

const Settings = z.object({
  gpu: GpuRequest.optional().catch(undefined),
  cpu: z.array(CpuRequest).optional().catch(undefined),
  dataCenterIds: Strings,
  networkVolumes: Strings,
  mounts: Mounts.optional().catch(undefined),
  workers: WorkerSettings.optional().catch(undefined),
});

/** Returns the settings of a manifest in its chosen environment. Undefined if the manifest is not a map. */
export function hardwareSettingsOf({
  root,
  patched,
}: Pick<ManifestPart, 'root' | 'patched'>): HardwareSettings | undefined {
  return Settings.safeParse(valueOfTree(patched ?? root)).data;
}

const HARDWARE = ['gpu', 'cpu'];
/** Codes of errors that the choice of hardware corrects, although they have no place. */
const MISSING: readonly string[] = ['hardwareMissing', 'gpuAndCpu'];

/** Returns the errors that the choice of hardware does not correct. */
export function otherErrors(problems: readonly ManifestProblem[]): readonly ManifestProblem[] {
  return problems.filter(
    ({ severity, violation }) =>
      severity === 'error' &&
      !(violation && (MISSING.includes(violation.code) || HARDWARE.includes(String(violation.path[0])))),
  );
}
