import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import { setContext } from '../../../kit/contextKeys.ts';
import { Poller } from '../../../kit/poller.ts';
import { count } from '../../../text/quantities.ts';
import { NO_TEXT, shown } from '../../../text/shownText.ts';
import type { JobShells } from '../jobShells.ts';
import { EVERY_JOB, filterWords, isFiltering } from './jobFilter.ts';
import { JobTreeProvider, type JobTreeSources } from './jobTreeProvider.ts';

/** Intervals for rendering the elapsed times of unfinished jobs, and the ages of ended ones, in ms. */
const ELAPSED_EVERY_MS = 1_000;
const AGE_EVERY_MS = 60_000;

/** Fills the jobs view, and sets its description, message, badge, and context keys. */
export function registerJobView(
  sources: JobTreeSources & { readonly clock: Clock },
  { tree, shown: view }: Pick<JobShells, 'tree' | 'shown'>,
): vscode.Disposable {
  const { clock, history, filters, connections } = sources;
  const provider = new JobTreeProvider(sources);
  const ticks = new Poller({
    clock,
    poll: () => {
      provider.tick();
      return Promise.resolve();
    },
    interval: () => (provider.active > 0 ? ELAPSED_EVERY_MS : AGE_EVERY_MS),
  });
  let wasActive = false;
  const show = () => {
    const connectionId = connections.profile?.id;
    const filter = connectionId === undefined ? EVERY_JOB : filters.get(connectionId);
    const jobs = connectionId === undefined ? [] : history.recent(connectionId);
    const { active, total, shown: matching } = provider;
    setContext('cloudCompute.hasJobs', total > 0);
    setContext('cloudCompute.jobsFiltered', isFiltering(filter));
    view.setDescription(filterWords(filter, jobs));
    // Without rows, a message would replace the welcome text, which offers a button.
    view.setMessage(isFiltering(filter) && matching > 0 ? shown`${matching} of ${count(total, 'job')} match` : NO_TEXT);
    view.setBadge(active === 0 ? undefined : { value: active, tooltip: runningWords(active) });
    if (active > 0 && !wasActive) ticks.wake();
    wasActive = active > 0;
  };
  show();
  ticks.setOn(view.visible);
  return vscode.Disposable.from(
    provider,
    tree.connect(provider),
    provider.onDidUpdate(show),
    view.onDidChangeVisibility(() => ticks.setOn(view.visible)),
    new vscode.Disposable(() => ticks.setOn(false)),
  );
}

function runningWords(active: number): string {
  return active === 1 ? l10n.t('1 job is not finished') : l10n.t`${active} jobs are not finished`;
}
