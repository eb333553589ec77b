import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireConnection } from '../../account/connections/requireConnection.ts';
import { createPanel } from '../../kit/panels.ts';
import { withLateProgress } from '../../kit/progress.ts';
import { shown } from '../../text/shownText.ts';
import { scalingTargets } from '../manifest/index.ts';
import { askForLoad } from './askForLoad.ts';
import type { OwnJobs } from './model/measuredLoad.ts';
import { keptTuning, measuredLoad, openTuning, reopenTuning, subjectOf, tuningToKeep } from './openedTuning.ts';
import { TuningPanel } from './tuningPanel.ts';

/**
 * Asks for the load of an endpoint or a manifest, and opens a page that simulates its settings.
 *
 * @param args arguments of the command: the row of an endpoint, or the URI of a manifest; or nothing
 */
export async function tuningCommand(
  services: AccountServices,
  { viewType, ownJobs }: { readonly viewType: string; readonly ownJobs: OwnJobs },
  args: readonly unknown[],
): Promise<void> {
  const { profile } = requireConnection(services.connections);
  const target = await scalingTargets.choose(services, args);
  if (!target) return;
  const { name, endpoint } = subjectOf(target);
  const connectionId = profile.id;
  const measured = endpoint
    ? await withLateProgress(services.clock, shown`Reading the load of “${name}”…`, (signal) =>
        measuredLoad(services, { connectionId, ownJobs }, endpoint, signal),
      )
    : undefined;
  const answers = await askForLoad(name, measured);
  if (!answers) return;
  const kept = tuningToKeep(target, connectionId, answers);
  const opened = await withLateProgress(services.clock, shown`Reading the hardware of “${profile.name}”…`, (signal) =>
    openTuning(services, { target, measured, kept }, signal),
  );
  const panel = createPanel(viewType, shown`Scaling: ${name}`, vscode.ViewColumn.Active);
  void new TuningPanel(panel, { services, kept, open: () => Promise.resolve(opened) });
}

/** Takes a panel that the editor restored after a reload. @param stored state that the page kept */
export function restoreTuning(
  services: AccountServices,
  ownJobs: OwnJobs,
  panel: vscode.WebviewPanel,
  stored: unknown,
): void {
  const kept = keptTuning(stored);
  if (kept)
    void new TuningPanel(panel, {
      services,
      kept,
      open: (signal) => reopenTuning(services, { kept, ownJobs }, signal),
    });
  // A page that was never shown kept nothing.
  else panel.dispose();
}
