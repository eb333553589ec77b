import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import { showError } from '../../../kit/errors.ts';
import { Lazy } from '../../../kit/lazy.ts';
import type { Log } from '../../../kit/log.ts';
import { safe, shown } from '../../../text/shownText.ts';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { Current } from '../../../account/connections/requireConnection.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { LiveValues } from '../../../account/liveValues/liveValues.ts';
import { workerPrice } from '../../../account/prices/workerPrice.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { mayRunOn } from '../../../account/consent/confirmHosted.ts';
import type { JobTestServices } from './jobTestRun.ts';
import type { JobTestTree } from './jobTestTree.ts';

/** Lists the job files with expectations in the Test Explorer, and runs them on the current connection. */
export function registerJobTests({
  context,
  connections,
  liveValues,
  clock,
  log,
}: Pick<AccountServices, 'context' | 'log' | 'clock' | 'connections' | 'liveValues'>): vscode.Disposable {
  const tests = new JobTests({
    id: 'cloudCompute',
    connections,
    clock,
    log,
    onDiscover: () => {
      // The question before a run on a hosted platform contains the price.
      if (connections.profile?.kind === 'hosted') liveValues.request();
    },
    mayRun: (profile, requests, endpoints) =>
      mayRunOn(context.workspaceState, profile, { ...requests, price: highestPrice(endpoints, liveValues.current) }),
  });
  return vscode.Disposable.from(tests);
}

/** Returns the highest price of a worker. Undefined if the price of one endpoint is not known. */
function highestPrice(endpoints: readonly Endpoint[], values: LiveValues): number | undefined {
  const prices = endpoints.map(({ gpu, cpu }) => {
    const { pools = [], count, excludedTypes } = gpu ?? {};
    const selection = { pools, ...(count && { count }), ...(excludedTypes && { excludedTypes }) };
    return workerPrice({ gpu: gpu ? selection : undefined, cpu: cpu ?? undefined }, values);
  });
  const known = prices.filter((price) => price !== undefined);
  return known.length === prices.length && known.length > 0 ? Math.max(...known) : undefined;
}

interface JobTestsOptions extends JobTestServices {
  /** ID of the test controller. */
  readonly id: string;
  readonly connections: Current<Client, Profile> & { readonly onDidChange: vscode.Event<void> };
  readonly clock: Clock;
  readonly log: Log;
  /** Called before the job files of the workspace are read. */
  readonly onDiscover?: () => void;
}

/** The tests of job files in the Test Explorer. */
export class JobTests implements vscode.Disposable {
  readonly controller: vscode.TestController;
  readonly profile: vscode.TestRunProfile;
  /** The tests. Their code is loaded when the editor asks for them. */
  readonly tree: Lazy<JobTestTree>;
  readonly #options: JobTestsOptions;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: JobTestsOptions) {
    const { id, log, connections } = options;
    this.#options = options;
    this.controller = vscode.tests.createTestController(id, l10n.t('Cloud Compute Jobs'));
    this.tree = new Lazy(async () => new (await import('./jobTestTree.ts')).JobTestTree(this.controller, log));
    this.controller.resolveHandler = async (item) => {
      if (item) return;
      options.onDiscover?.();
      await (await this.tree.get()).discover();
    };
    this.controller.refreshHandler = async () => (await this.tree.get()).refresh();
    this.profile = this.controller.createRunProfile(
      this.#label(),
      vscode.TestRunProfileKind.Run,
      (request, token) => this.run(request, token),
      true,
      undefined,
      true,
    );
    this.#subscriptions = vscode.Disposable.from(
      new vscode.Disposable(() => this.tree.value?.dispose()),
      this.profile,
      this.controller,
      connections.onDidChange(() => {
        const label = this.#label();
        if (this.profile.label !== label) this.profile.label = label;
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Runs the requested tests, or runs them after each save until the token is canceled. */
  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const tree = await this.tree.get();
    await tree.discover();
    if (!request.continuous) {
      await this.#runOnce(request, tree.testsOf(request), new Set());
      return;
    }
    const { clock, log, connections } = this.#options;
    const { runContinuously } = await import('./continuousRun.ts');
    const watch = runContinuously({
      clock,
      tests: () => tree.testsOf(request),
      isLocal: () => connections.profile?.kind === 'local',
      run: (tests, outdated) =>
        this.#runOnce(new vscode.TestRunRequest(tests, undefined, request.profile, true), tests, outdated),
      onError: (error) => showError(log, error, l10n.t('Could not run the tests again')),
    });
    token.onCancellationRequested(() => void watch.dispose());
  }

  async #runOnce(
    request: vscode.TestRunRequest,
    items: readonly vscode.TestItem[],
    restart: ReadonlySet<vscode.TestItem>,
  ): Promise<void> {
    const run = this.controller.createTestRun(request);
    try {
      const { runJobTests } = await import('./jobTestRun.ts');
      const error = await runJobTests(this.#options, run, items, { restart });
      if (error !== undefined) showError(this.#options.log, error, l10n.t('Could not run the tests'));
    } finally {
      run.end();
    }
  }

  #label(): string {
    const { profile } = this.#options.connections;
    return safe(profile ? shown`Run on ${profile.name}` : l10n.t('Run'));
  }
}
