import * as l10n from '@vscode/l10n';
import type { ControlClient } from '../../../../client/controlClient.ts';
import type { CallOptions } from '../../../../client/request.ts';
import type { RestartedEndpoint } from '../../../../contract/control/controlWorkers.ts';

/** Maximum number of files in one request. */
const MAX_FILES = 1_000;

/** Restarts the workers of endpoints whose files have changed. Returns these endpoints. @throws ApiError */
export async function restartWorkers(
  control: ControlClient,
  files: readonly string[],
  options: CallOptions = {},
): Promise<readonly RestartedEndpoint[]> {
  const { endpoints } = await control.restartWorkers({ body: { files: files.slice(0, MAX_FILES) } }, options);
  return endpoints;
}

/** Describes the effect of a restart on one endpoint, for the log. */
export function restartWords({ name, restarted, finishing }: RestartedEndpoint): string {
  if (restarted + finishing === 0) return l10n.t`${name}: no worker runs, so the next one uses the saved files`;
  if (finishing === 0) return l10n.t`${name}: restarted workers: ${restarted}`;
  return l10n.t`${name}: restarted workers: ${restarted}; workers that finish their jobs first: ${finishing}`;
}
