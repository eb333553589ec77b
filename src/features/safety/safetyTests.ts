import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { requireTrust, sourceOf } from '../../account/consent/workspaceTrust.ts';
import { privateEngineFlags } from '../../account/localPlatform/localPlatformSettings.ts';
import { valueSource } from '../../account/secrets/valueSource.ts';
import { MAX_JOB_LIFE_MS } from '../../contract/bounds.ts';
import { explain } from '../../kit/explain.ts';
import { showError } from '../../kit/errors.ts';
import { appendTestOutput, testItem, testMessage } from '../../kit/testing.ts';
import { UserError } from '../../kit/userError.ts';
import { foreign } from '../../text/shownText.ts';
import { debugElsewhere } from '../local/index.ts';
import { fileName, folderOf, workspaceTree } from '../manifest/index.ts';
import { checkRetrySafety, type SafetyEvent, type SafetyJob, type SafetyResult } from './actions/checkRetrySafety.ts';
import { findSafetyTargets, type SafetyTarget } from './actions/findTargets.ts';
import {
  allDifferences,
  needsTwoWorkers,
  pointId,
  pointLabel,
  pointOrder,
  type BreakPoint,
} from './model/breakPoint.ts';

const MAX_MESSAGE = 1_000;
/** Meets every job, so that the debugged worker receives them all. */
const ANY_JOB = 'job.id != ""';

/** What an item of the Test Explorer stands for: a manifest, a job of it, or a point of a job. */
interface Subject {
  readonly manifest: vscode.Uri;
  readonly part: number;
  /** Path of the job file. */
  readonly job?: string;
  readonly point?: string;
}

/** Shows the checks of retry safety in the Test Explorer: manifests, their jobs, and the points at which each can break. */
export class SafetyTests implements vscode.Disposable {
  readonly #services: Pick<AccountServices, 'context' | 'globalState' | 'secrets' | 'log'>;
  readonly controller: vscode.TestController;
  readonly #subjects = new WeakMap<vscode.TestItem, Subject>();

  constructor(services: Pick<AccountServices, 'context' | 'globalState' | 'secrets' | 'log'>) {
    this.#services = services;
    this.controller = vscode.tests.createTestController('cloudComputeSafety', l10n.t('Cloud Compute Retry Safety'));
    const { Run, Debug } = vscode.TestRunProfileKind;
    for (const [kind, label] of [
      [Run, l10n.t('Check Retry Safety')],
      [Debug, l10n.t('Debug Retry Safety')],
    ] as const)
      this.controller.createRunProfile(
        label,
        kind,
        (request, token) => this.run(request, token, { debug: kind === Debug }),
        true,
      );
  }

  dispose(): void {
    this.controller.dispose();
  }

  /** Checks the manifest that the arguments name: its URI and its index in the file. @throws UserError if it has no job */
  async check([given, index]: readonly unknown[]): Promise<void> {
    const manifest = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
    if (!manifest) throw new UserError(l10n.t('open a manifest first'));
    const part = typeof index === 'number' ? index : 0;
    const root = this.#itemOf(this.controller.items, { manifest, part }, fileName(manifest), manifest);
    await vscode.commands.executeCommand('workbench.view.testing.focus');
    const source = new vscode.CancellationTokenSource();
    try {
      await this.run(new vscode.TestRunRequest([root]), source.token, { reveals: true });
    } finally {
      source.dispose();
    }
  }

  /** Returns the item of a subject, which is added if there is none. */
  #itemOf(parent: vscode.TestItemCollection, subject: Subject, label: string, uri: vscode.Uri): vscode.TestItem {
    const id = [subject.manifest.toString(), subject.part, subject.job, subject.point]
      .filter((one) => one !== undefined)
      .join('#');
    const existing = parent.get(id);
    if (existing) return existing;
    const item = testItem(this.controller, { id, label, uri });
    this.#subjects.set(item, subject);
    parent.add(item);
    return item;
  }

  /** Runs the requested tests, with a debugger attached to the worker of each disturbed run if `debug` is set. */
  async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    { debug = false, reveals = false }: Partial<Pick<Running, 'debug' | 'reveals'>>,
  ): Promise<void> {
    const run = this.controller.createTestRun(request);
    const stop = new AbortController();
    const subscription = vscode.Disposable.from(
      token.onCancellationRequested(() => stop.abort()),
      run.token.onCancellationRequested(() => stop.abort()),
    );
    try {
      const roots = [...this.controller.items].map(([, item]) => item);
      const chosen = request.include ?? roots;
      for (const root of roots) {
        const own = chosen.filter((item) => item === root || item.id.startsWith(`${root.id}#`));
        if (own.length > 0) await this.#checkManifest(root, own, { run, debug, reveals, signal: stop.signal });
      }
    } catch (error) {
      if (!stop.signal.aborted) showError(this.#services.log, error, l10n.t('Could not check retry safety'));
    } finally {
      subscription.dispose();
      run.end();
    }
  }

  async #checkManifest(root: vscode.TestItem, chosen: readonly vscode.TestItem[], running: Running): Promise<void> {
    const { run, signal, debug } = running;
    const subject = this.#subjects.get(root);
    if (!subject) return;
    const { manifest, part } = subject;
    requireTrust({ source: sourceOf(manifest), process: undefined, deed: l10n.t('checking the retry safety') });
    const folder = folderOf(manifest);
    if (folder === undefined) throw new UserError(l10n.t('the manifest is not in a folder of this machine'));
    const name = path.posix.basename(manifest.path);
    const search = { tree: workspaceTree, folder: vscode.Uri.file(folder), signal };
    const found = await findSafetyTargets({ ...search, wantsManifest: (one) => one === name });
    const target = found.find((one) => one.part.index === part);
    if (!target) throw new UserError(l10n.t`${name} is not a valid manifest`);
    const subjects = chosen.flatMap((item) => this.#subjects.get(item) ?? []);
    const wanted = (job: SafetyJob, point?: BreakPoint) =>
      subjects.some(
        (one) =>
          one.job === undefined ||
          (one.job === job.path && (one.point === undefined || point === undefined || one.point === pointId(point))),
      );
    const isWhole = subjects.every((one) => one.point === undefined);
    const items = new TargetItems(target, { ...running, isWhole }, (parent, of, label, uri) =>
      this.#itemOf(parent?.children ?? root.children, { manifest, part, ...of }, label, uri),
    );
    try {
      await checkRetrySafety({
        ...{ part: target.part, folder, signal, wants: wanted, environment: process.env },
        jobs: target.jobs.filter((job) => wanted(job)),
        values: valueSource(this.#services),
        engineFlags: privateEngineFlags(),
        platformScript: this.#services.context.asAbsolutePath('dist/platform.js'),
        onEvent: (event) => items.show(event),
        ...(debug && {
          limitMs: MAX_JOB_LIFE_MS,
          onReady: (platform, endpoint, point) =>
            debugElsewhere(
              {
                ...{ platform, endpoint, log: this.#services.log, title: l10n.t`Debug Worker of ${endpoint.name}` },
                // The two workers of other points receive the job one after the other.
                ...(!needsTwoWorkers(point) && { condition: ANY_JOB }),
              },
              signal,
            ),
        }),
      });
    } catch (error) {
      if (signal.aborted) items.skipRest();
      else run.errored(root, testMessage({ message: explain(error, l10n.t('Could not check retry safety')) }));
      if (!signal.aborted && !(error instanceof UserError)) throw error;
    }
  }
}

interface Running {
  readonly run: vscode.TestRun;
  /** Whether the view shows the points, because the check began elsewhere. Default: no. */
  readonly reveals?: boolean;
  readonly debug: boolean;
  readonly signal: AbortSignal;
}

type ItemOf = (
  parent: vscode.TestItem | undefined,
  of: Pick<Subject, 'job' | 'point'>,
  label: string,
  uri: vscode.Uri,
) => vscode.TestItem;

/** Reports the events of a check on the items of a manifest. */
class TargetItems {
  readonly #run: vscode.TestRun;
  readonly #itemOf: ItemOf;
  readonly #places: ReadonlyMap<string, vscode.Uri>;
  readonly #left = new Set<vscode.TestItem>();
  readonly #reveals: boolean;
  readonly #isWhole: boolean;

  constructor(
    { jobs }: SafetyTarget<vscode.Uri>,
    { run, reveals = false, isWhole }: Running & { readonly isWhole: boolean },
    itemOf: ItemOf,
  ) {
    this.#run = run;
    this.#isWhole = isWhole;
    this.#reveals = reveals;
    this.#itemOf = itemOf;
    this.#places = new Map(jobs.map((job) => [job.path, job.place]));
  }

  show(event: SafetyEvent): void {
    switch (event.kind) {
      case 'planned':
        for (const [index, point] of event.points.entries()) {
          const item = this.#pointItem(event.job, point);
          // The easiest reproductions come first.
          item.sortText = pointOrder(point);
          this.#left.add(item);
          this.#run.enqueued(item);
          if (index === 0) this.#reveal(item);
        }
        break;
      case 'started':
        this.#run.started(this.#pointItem(event.job, event.point));
        break;
      case 'ended':
        this.#showResult(event.result);
        break;
      case 'failed':
        this.#run.errored(this.#jobItem(event.job), this.#message(event.job, event.reason));
        appendTestOutput(this.#run, [`${event.job.path}: ${event.reason}`]);
        break;
      case 'note':
        appendTestOutput(this.#run, [`${event.job.path}: ${event.text}`]);
        break;
    }
  }

  /** Opens the tree at an item. */
  #reveal(item: vscode.TestItem): void {
    if (this.#reveals) void vscode.commands.executeCommand('vscode.revealTestInExplorer', item);
  }

  /** Marks the points that did not run. */
  skipRest(): void {
    for (const item of this.#left) this.#run.skipped(item);
  }

  #showResult({ job, point, outcome, message, smallest, differences, durationMs }: SafetyResult): void {
    const item = this.#pointItem(job, point);
    this.#left.delete(item);
    if (outcome === 'safe') this.#run.passed(item, durationMs);
    else if (outcome === 'notReached') this.#run.skipped(item);
    else if (outcome === 'error') this.#run.errored(item, this.#message(job, message), durationMs);
    else {
      // A single point is compared with no others.
      const isSmallest = smallest && this.#isWhole;
      const text = isSmallest ? l10n.t`${message}. This is the smallest reproduction.` : message;
      this.#run.failed(item, this.#message(job, text), durationMs);
      if (isSmallest) this.#reveal(item);
      appendTestOutput(
        this.#run,
        [`${job.path}: ${message}`, ...allDifferences(differences).map((one) => `  ${one}`)],
        item,
      );
    }
  }

  #message({ path: name }: SafetyJob, text: string): vscode.TestMessage {
    const uri = this.#places.get(name);
    const location = uri && new vscode.Location(uri, new vscode.Position(0, 0));
    return testMessage({ message: foreign(text, MAX_MESSAGE), location });
  }

  #jobItem({ path: name }: SafetyJob): vscode.TestItem {
    return this.#itemOf(undefined, { job: name }, name, this.#uriOf(name));
  }

  #pointItem(job: SafetyJob, point: BreakPoint): vscode.TestItem {
    const of = { job: job.path, point: pointId(point) };
    return this.#itemOf(this.#jobItem(job), of, pointLabel(point), this.#uriOf(job.path));
  }

  #uriOf(name: string): vscode.Uri {
    return this.#places.get(name) ?? vscode.Uri.file(name);
  }
}
