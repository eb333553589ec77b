import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import { createPanel } from '../../kit/panels.ts';
import { withLateProgress } from '../../kit/progress.ts';
import { UserError } from '../../kit/userError.ts';
import { shown } from '../../text/shownText.ts';
import { scalingTargets, type ScalingTarget } from '../manifest/index.ts';
import { readLoad } from './actions/readLoad.ts';
import { planTuning, type TunedSubject } from './actions/tune.ts';
import { askForLoad } from './askForLoad.ts';
import type { OwnJobs } from './model/measuredLoad.ts';
import { subjectOfEndpoint, subjectOfManifest } from './model/subjects.ts';
import { obstacleWords } from './model/words.ts';
import { TuningPanel } from './tuningPanel.ts';

const VIEW_TYPE = 'cloudCompute.tuning';

/**
 * Asks for the load of an endpoint or a manifest, and opens a page that simulates its settings.
 *
 * @param args arguments of the command: the row of an endpoint, or the URI of a manifest; or nothing
 */
export async function tuningCommand(
  services: AccountServices,
  ownJobs: OwnJobs,
  args: readonly unknown[],
): Promise<void> {
  const { client, profile } = requireConnection(services.connections);
  const target = await scalingTargets.choose(services, args);
  if (!target) return;
  const subject = subjectOf(target);
  const { name, endpoint } = subject;
  const measured = endpoint
    ? await withLateProgress(services.clock, shown`Reading the load of “${name}”…`, (signal) =>
        readLoad(client, endpoint, { jobs: () => ownJobs(profile.id, endpoint.id) }, signal),
      )
    : undefined;
  const load = await askForLoad(name, measured);
  if (!load) return;
  const plan = await withLateProgress(services.clock, shown`Reading the hardware of “${profile.name}”…`, (signal) =>
    planTuning(client, subject, load, { signal }),
  );
  if ('obstacle' in plan) throw new UserError(obstacleWords(plan.obstacle));
  const panel = createPanel(VIEW_TYPE, shown`Scaling: ${name}`, vscode.ViewColumn.Active);
  void new TuningPanel(panel, { services, target, plan, connection: profile.name });
}

function subjectOf({ manifest, endpoint }: ScalingTarget): TunedSubject {
  if (manifest) return { ...subjectOfManifest(manifest), endpoint: endpoint?.endpoint };
  const subject = endpoint && subjectOfEndpoint(endpoint.endpoint);
  if (!subject) throw new UserError(l10n.t('the scaling rule of the endpoint is not known'));
  return subject;
}
