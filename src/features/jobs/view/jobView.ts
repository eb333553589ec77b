import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import { setContext } from '../../../kit/contextKeys.ts';
import { Poller } from '../../../kit/poller.ts';
import { NO_TEXT, shown } from '../../../text/shownText.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { Client } from '../../../client/client.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { treeItem, withTooltip } from '../../../kit/trees.ts';
import type { JobShells } from '../jobShells.ts';
import type { JobHistoryStore } from '../actions/jobHistoryStore.ts';
import { EVERY_JOB, filterWords, isFiltering, type JobFilterStore } from './jobFilter.ts';
import { JobList, jobNodeId, type JobNode } from './jobList.ts';
import { presentOf, type Present } from './jobRows.ts';
import { JOB_TOOLTIP_COMMANDS, jobTooltip } from './jobTooltip.ts';

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
    view.setMessage(
      isFiltering(filter) && matching > 0
        ? total === 1
          ? shown`${matching} of 1 job matches`
          : shown`${matching} of ${total} jobs match`
        : NO_TEXT,
    );
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

interface JobTreeSources {
  readonly clock: Pick<Clock, 'now'>;
  readonly history: JobHistoryStore;
  readonly filters: JobFilterStore;
  readonly connections: {
    readonly profile: Pick<Profile, 'id' | 'kind' | 'name'> | undefined;
    readonly client: Client | undefined;
    readonly onDidChange: (listener: () => unknown) => { dispose(): unknown };
  };
}

const OPEN: CommandId = 'cloudCompute.jobs.openResult';

/** Renders the job history of the current connection. Sends no requests. */
export class JobTreeProvider implements vscode.TreeDataProvider<JobNode>, vscode.Disposable {
  readonly #present: () => Present;
  readonly #list: JobList;
  readonly #changed = new vscode.EventEmitter<JobNode[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #updated = new vscode.EventEmitter<void>();
  /** Fires after the jobs, the filter, or the connection changed. */
  readonly onDidUpdate = this.#updated.event;
  readonly #subscriptions: vscode.Disposable;

  constructor({ clock, history, filters, connections }: JobTreeSources) {
    this.#present = () => presentOf(clock, connections);
    this.#list = new JobList({
      get connectionId() {
        return connections.profile?.id;
      },
      jobs: (id) => history.recent(id),
      filter: (id) => filters.get(id),
      present: this.#present,
    });
    const update = () => this.#update();
    this.#subscriptions = vscode.Disposable.from(
      history.onDidChange(update),
      filters.onDidChange(update),
      connections.onDidChange(update),
    );
  }

  /** Number of jobs of the connection, whether or not they match the filter. */
  get total(): number {
    return this.#list.total;
  }

  /** Number of unfinished jobs of the connection, whether or not they match the filter. */
  get active(): number {
    return this.#list.active;
  }

  /** Number of jobs that match the filter. */
  get shown(): number {
    return this.#list.nodes.length;
  }

  /** Renders the rows again that contain a time which has changed. */
  tick(): void {
    this.#repaint();
  }

  getChildren(node?: JobNode): JobNode[] {
    return node ? [] : [...this.#list.nodes];
  }

  getParent(): undefined {
    return undefined;
  }

  getTreeItem(node: JobNode): vscode.TreeItem {
    return treeItem({
      label: '',
      ...this.#list.row(node),
      id: jobNodeId(node),
      collapsibleState: vscode.TreeItemCollapsibleState.None,
      command: { title: l10n.t('Open Result'), command: OPEN, arguments: [node] },
    });
  }

  /** Creates the tooltip of a row on request. */
  resolveTreeItem(item: vscode.TreeItem, node: JobNode): vscode.TreeItem {
    const job = this.#list.find(node);
    if (!job) return item;
    return withTooltip(item, { markdown: jobTooltip(job, node, this.#present()), commands: JOB_TOOLTIP_COMMANDS });
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#changed.dispose();
    this.#updated.dispose();
  }

  #update(): void {
    this.#repaint();
    this.#updated.fire();
  }

  #repaint(): void {
    const rows = this.#list.update();
    if (rows === 'all') this.#changed.fire(undefined);
    else if (rows.length > 0) this.#changed.fire([...rows]);
  }
}
