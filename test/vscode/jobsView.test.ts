import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Job, JobRequest } from '../../src/contract/job.ts';
import { JobHistoryStore } from '../../src/features/jobs/actions/jobHistoryStore.ts';
import type { StoredJob } from '../../src/features/jobs/model/storedJob.ts';
import type { JobRequests } from '../../src/features/jobs/actions/jobRequests.ts';
import { jobAddresses } from '../../src/features/jobs/results/jobAddress.ts';
import { JobFilterStore } from '../../src/features/jobs/view/jobFilter.ts';
import type { JobNode } from '../../src/features/jobs/view/jobList.ts';
import type { JobViewDocuments } from '../../src/features/jobs/view/jobViewDocuments.ts';
import { openRequest } from '../../src/features/jobs/view/requestOfJob.ts';
import { JobTreeProvider } from '../../src/features/jobs/view/jobView.ts';
import { Emitter } from '../../src/kit/emitter.ts';
import { memento } from '../features/jobs/memento.ts';
import { inputs } from './inputs.ts';
import { activated, waitFor, workspaceFolder } from './support.ts';

describe('The rows of the jobs view', () => {
  const NOW = 1_000_000;
  const job = (id: string, change: Partial<StoredJob> = {}): StoredJob => ({
    id,
    endpointId: 'e',
    endpointName: 'hello',
    submittedAt: NOW - 5_000,
    status: 'COMPLETED',
    ...change,
  });

  const profileOf = (id: string) => ({ id, kind: 'hosted' as const, name: id });

  function view() {
    const history = new JobHistoryStore(memento());
    const filters = new JobFilterStore(memento());
    const changed = new Emitter<void>();
    const connections = { profile: profileOf('local'), client: undefined, onDidChange: changed.event };
    const clock = { time: NOW, now: () => clock.time };
    const provider = new JobTreeProvider({ clock, history, filters, connections });
    const repainted: (readonly string[] | 'all')[] = [];
    provider.onDidChangeTreeData((nodes) => repainted.push(nodes?.map(({ jobId }) => jobId) ?? 'all'));
    const items = () => provider.getChildren().map((node) => provider.getTreeItem(node));
    return { history, filters, connections, changed, clock, provider, repainted, items };
  }

  it('show the history of the current connection, and open results', async () => {
    const { history, provider, items, connections, changed } = view();
    await history.put('local', job('1', { executionTime: 1_200, pricePerHour: 1.2 }));
    await history.put('hosted', job('2', { endpointName: 'other' }));
    const [item] = items();
    assert.ok(item);
    assert.deepEqual([item.label, item.description], ['hello', 'completed · 1.2 s · $0.0004 · just now']);
    assert.ok(item.iconPath instanceof vscode.ThemeIcon);
    assert.deepEqual([item.iconPath.id, item.iconPath.color?.id], ['pass', 'testing.iconPassed']);
    assert.match(item.accessibilityInformation?.label ?? '', /^Job on hello, completed, ran 1\.2 s/);
    assert.equal(item.contextValue, 'job.completed.request');
    const [node] = provider.getChildren();
    assert.ok(node);
    assert.deepEqual(item.command, {
      title: 'Open Result',
      command: 'cloudCompute.jobs.openResult',
      arguments: [node],
    });
    const { tooltip } = provider.resolveTreeItem(item, node);
    assert.ok(tooltip instanceof vscode.MarkdownString && tooltip.value.includes('estimated'));
    connections.profile = profileOf('hosted');
    changed.fire();
    assert.deepEqual(
      items().map(({ label }) => label),
      ['other'],
    );
  });

  it('update the time of unfinished jobs only', async () => {
    const { history, provider, items, clock, repainted } = view();
    await history.put('local', job('1'));
    await history.put('local', job('2', { status: 'IN_PROGRESS' }));
    assert.equal(items()[0]?.description, 'running · 5 s');
    repainted.length = 0;
    clock.time += 1_000;
    provider.tick();
    assert.deepEqual(repainted, [['2']]);
    assert.equal(items()[0]?.description, 'running · 6 s');
    await history.put('local', job('2', { status: 'FAILED' }));
    assert.equal(provider.active, 0);
  });

  it('are filtered, and number 200 at most', async () => {
    const { history, filters, provider, items } = view();
    const many = Array.from({ length: 250 }, (_, index) =>
      job(`j${index}`, { status: index % 2 === 0 ? 'FAILED' : 'COMPLETED' }),
    );
    for (const job of many.toReversed()) await history.put('local', job);
    assert.equal(items().length, 200);
    assert.equal(new Set(items().map(({ id }) => id)).size, 200);
    await filters.set('local', { states: ['failed'], endpointIds: [] });
    assert.deepEqual([items().length, provider.shown, provider.total], [100, 100, 200]);
  });
});

describe('The request of a job', () => {
  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
  const { showQuickPick } = vscode.window;
  const request: JobRequest = { input: { prompt: 'sent' } };
  const shown: string[] = [];
  const documents = {
    show: ({ kind, jobId }: { kind: string; jobId: string }) => Promise.resolve(void shown.push(`${kind} ${jobId}`)),
  } as unknown as JobViewDocuments;
  let file: vscode.Uri;

  const open = (change: Partial<StoredJob>, stored?: JobRequest) => {
    const requests = { get: () => Promise.resolve(stored) } as unknown as JobRequests;
    const job = { id: 'j', endpointId: 'e', endpointName: 'hello', submittedAt: 1, status: 'COMPLETED', ...change };
    const history = { recent: () => [job] } as unknown as JobHistoryStore;
    return openRequest({ services: { requests, history }, viewDocuments: documents }, { connectionId: 'local', job });
  };

  before(async () => {
    file = vscode.Uri.joinPath(workspaceFolder(), 'sent.job.json');
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode('{ "input": { "prompt": "changed" } }'));
  });

  afterEach(async () => {
    window.showQuickPick = showQuickPick;
    shown.length = 0;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  after(() => vscode.workspace.fs.delete(file));

  it('can be opened as sent, or from its file while that exists', async () => {
    const offered: string[][] = [];
    let wanted = 1;
    const choice = (items: readonly vscode.QuickPickItem[]) => {
      offered.push(items.map(({ label }) => label));
      return Promise.resolve(items[wanted]);
    };
    window.showQuickPick = choice as unknown as typeof showQuickPick;
    await open({ file: file.toString() }, request);
    assert.deepEqual([shown, offered], [['request j'], [['$(go-to-file) sent.job.json', '$(json) Request as Sent']]]);
    wanted = 0;
    await open({ file: file.toString(), notStored: 'tooLarge' });
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), file.toString());
    const gone = vscode.Uri.joinPath(workspaceFolder(), 'deleted.job.json').toString();
    await open({ file: gone }, request);
    assert.deepEqual([shown.length, offered.length], [2, 2]);
  });

  it('is reported with a reason if it is not stored', async () => {
    await assert.rejects(open({ notStored: 'tooLarge' }), /it is too large/);
    await assert.rejects(open({ notStored: 'secret' }), /looks like a secret/);
    await assert.rejects(open({ notStored: 'submittedElsewhere' }), /submitted elsewhere/);
    await assert.rejects(open({}), /no longer stored/);
    assert.deepEqual(shown, []);
  });
});

type Listed = Thenable<readonly vscode.QuickPickItem[]> | readonly vscode.QuickPickItem[];

/** Runs jobs on an endpoint of its own, which it deletes. */
describe('The commands of the jobs view', function () {
  const name = `0-viewed-${Date.now()}`;
  const window = vscode.window as { -readonly [Key in keyof typeof vscode.window]: (typeof vscode.window)[Key] };
  const { showQuickPick, showInputBox, showErrorMessage, showInformationMessage } = vscode.window;
  let endpoint: { readonly kind: 'endpoint'; readonly endpointId: string };
  /** Row of the first job, which completes. */
  let first: JobNode;
  /** Messages since the start of the test. */
  const messages: string[] = [];
  /** Error messages. The end of a job of an earlier test can be announced at any time. */
  const failures: string[] = [];

  const run = (command: string, ...args: unknown[]) =>
    vscode.commands.executeCommand(`cloudCompute.${command}`, ...args);

  /** Chooses the items whose labels contain these texts, in lists that are shown one after the other. */
  function choose(...labels: readonly string[]): void {
    const left = [...labels];
    const choice = async (items: Listed) => {
      const wanted = left.shift() ?? '';
      const list = await items;
      const found = list.find(({ label, detail = '' }) => label.includes(wanted) || detail.includes(wanted));
      assert.ok(found, `${wanted} in ${list.map(({ label }) => label).join(', ')}`);
      return found;
    };
    window.showQuickPick = choice as unknown as typeof showQuickPick;
  }

  function type(text: string): void {
    window.showInputBox = () => Promise.resolve(text);
  }

  const editorsChanged = [
    vscode.window.onDidChangeActiveTextEditor,
    vscode.window.onDidChangeVisibleTextEditors,
  ] as unknown as vscode.Event<never>[];

  /** Returns the visible document with this scheme. */
  async function visible(scheme: string, ending = ''): Promise<vscode.TextDocument> {
    const editor = await waitFor(editorsChanged, () =>
      vscode.window.visibleTextEditors.find(
        ({ document: { uri } }) => uri.scheme === scheme && uri.path.endsWith(ending),
      ),
    );
    return editor.document;
  }

  /** Returns the jobs of the list as the ID and the description of each row, newest first. */
  async function listedJobs(): Promise<readonly (readonly [string, string])[]> {
    let rows: readonly (readonly [string, string])[] = [];
    const look = async (items: Listed) => {
      rows = (await items).map(({ detail = '', description = '' }) => [detail, description]);
    };
    window.showQuickPick = look as unknown as typeof showQuickPick;
    await run('jobs.openRecent', endpoint);
    return rows;
  }

  const rowOf = (jobId: string): JobNode => ({ kind: 'job', connectionId: 'local', jobId });
  const jobIn = (document: vscode.TextDocument) => JSON.parse(document.getText()) as Job;
  const closeEditors = () => vscode.commands.executeCommand('workbench.action.closeAllEditors');

  /** Runs a job with this input. Returns its row. */
  async function runJob(input: object): Promise<JobNode> {
    choose('Write Input');
    type(JSON.stringify(input));
    await run('jobs.run', endpoint);
    const { uri } = await visible('cloud-compute-job');
    await closeEditors();
    return rowOf(jobAddresses.parse(uri)?.jobId ?? '');
  }

  before(async () => {
    await activated();
    await run('localPlatform.start');
    const sample = vscode.Uri.joinPath(workspaceFolder(), 'hello.endpoint.yaml');
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(sample));
    const manifest = vscode.Uri.joinPath(workspaceFolder(), 'viewed.endpoint.yaml');
    const own = text.replace(/^name: .*/m, `name: ${name}`).replace(/LOAD_SECONDS: .*/, "LOAD_SECONDS: '1'");
    await vscode.workspace.fs.writeFile(manifest, new TextEncoder().encode(own));
    await run('manifest.createEndpoint', manifest);
    await vscode.workspace.fs.delete(manifest);
    choose(name);
    await vscode.env.clipboard.writeText('');
    await run('endpoints.copyId');
    endpoint = { kind: 'endpoint', endpointId: await vscode.env.clipboard.readText() };
    first = await runJob({ name: 'view', seconds: 1 });
  });

  beforeEach(() => {
    messages.length = 0;
    failures.length = 0;
    window.showInformationMessage = (message: string) => Promise.resolve(void messages.push(message)) as never;
    window.showErrorMessage = (message: string) =>
      Promise.resolve(void [messages, failures].map((list) => list.push(message))) as never;
  });

  afterEach(async () => {
    Object.assign(window, { showQuickPick, showInputBox, showErrorMessage, showInformationMessage });
    await closeEditors();
  });

  after(async () => {
    const confirmed = inputs({ confirm: 'Delete' });
    await run('endpoints.delete', endpoint);
    confirmed.done();
    await vscode.commands.executeCommand('notifications.clearAll');
    await run('localPlatform.stop');
  });

  it('open a result', async () => {
    await run('jobs.openResult', first);
    const job = jobIn(await visible('cloud-compute-job'));
    assert.deepEqual([job.id, job.status], [first.jobId, 'COMPLETED']);
    assert.deepEqual(failures, []);
  });

  it('open the sent request as a read-only document', async () => {
    await run('jobs.openRequest', first);
    const document = await visible('cloud-compute-job-view', '.request.json');
    assert.deepEqual(JSON.parse(document.getText()), { input: { name: 'view', seconds: 1 } });
    const { permissions } = await vscode.workspace.fs.stat(document.uri);
    assert.equal(permissions, vscode.FilePermission.Readonly);
  });

  it('edit the request in a new job file, which names its endpoint', async () => {
    await run('jobs.editAndRun', first);
    const document = await visible('untitled', '.job.json');
    assert.deepEqual(JSON.parse(document.getText()), { endpoint: name, input: { name: 'view', seconds: 1 } });
    assert.ok(document.uri.path.endsWith(`/${name}.job.json`));
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('copy the IDs of all selected jobs', async () => {
    await run('jobs.copyId', first, [first]);
    assert.equal(await vscode.env.clipboard.readText(), first.jobId);
  });

  it('show only the log lines of a job', async () => {
    await run('jobs.showLog', first);
    const document = await visible('cloud-compute-job-view', '.log');
    assert.match(document.getText(), /greeting view for 1 s\n/);
    assert.match(document.getText(), /These lines were written while it ran/);
    assert.doesNotMatch(document.getText(), /loading for/);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    assert.deepEqual(
      lenses.map(({ command }) => command?.command),
      ['cloudCompute.logs.open'],
    );
  });

  it('show the timeline of a job, with the log of its parts', async () => {
    await run('jobs.showTimeline', first);
    const document = await visible('cloud-compute-job-view', '.timeline.txt');
    const text = document.getText();
    assert.match(text, new RegExp(`^Job ${first.jobId} of ${name}\nStatus: completed after `));
    assert.match(text, /^In the queue +\d.*\n(?:  .*\n)*^Running +\d/m);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
    );
    assert.equal(lenses[0]?.command?.command, 'cloudCompute.jobs.openResult');
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      document.uri,
    );
    const running = links.find(({ range }) => document.getText(range) === 'Running');
    assert.equal(running?.target?.path, 'cloudCompute.logs.openFull');
    await run('logs.openFull', ...(JSON.parse(running.target.query) as unknown[]));
    const { selection, document: log } = vscode.window.activeTextEditor ?? assert.fail('no log is open');
    assert.match(log.getText(), /loading for/);
    assert.match(log.lineAt(selection.active.line).text, /greeting view for 1 s/);
    assert.deepEqual(failures, []);
  });

  it('follow the timeline of a job until it has ended', async () => {
    await run('jobs.runAgain', first, [first, first]);
    const [[jobId] = ['']] = await listedJobs();
    await run('jobs.showTimeline', rowOf(jobId));
    const document = await visible('cloud-compute-job-view', '.timeline.txt');
    assert.match(document.getText(), /so far$/m);
    const changed = vscode.workspace.onDidChangeTextDocument as unknown as vscode.Event<never>;
    await waitFor([changed], () => /^Status: completed after /m.test(document.getText()) || undefined);
    assert.doesNotMatch(document.getText(), /░/);
  });

  it('reveal the worker of a job', async () => {
    await run('jobs.revealWorker', first);
    assert.deepEqual(failures, []);
  });

  it('run a job again, and compare the two results', async () => {
    await run('jobs.runAgain', first);
    const again = jobIn(await visible('cloud-compute-job'));
    assert.equal(again.status, 'COMPLETED');
    assert.notEqual(again.id, first.jobId);
    await closeEditors();
    const second = rowOf(again.id);
    await run('jobs.compare', second, [second, first]);
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    assert.ok(activeTab?.input instanceof vscode.TabInputTextDiff);
    const { original, modified } = activeTab.input;
    assert.deepEqual(
      [original, modified].map((uri) => jobAddresses.parse(uri)?.jobId),
      [first.jobId, again.id],
    );
    // Jobs have the name of their endpoint and their time, instead of their ID.
    const named = new RegExp(`/${name} · \\d\\d∶\\d\\d(?:∶\\d\\d)?\\.json$`);
    for (const { path } of [original, modified]) assert.match(path, named);
    assert.match(activeTab.label, new RegExp(`^${name} · [\\d:]+ ↔ ${name} · [\\d:]+$`));
    await closeEditors();
    choose(again.id);
    await run('jobs.compare', first);
    assert.ok(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff);
  });

  it('retry only a failed job', async () => {
    await run('jobs.retry', first);
    assert.match(messages.join(), /only a failed or timed-out job can be retried; this one is completed/);
    messages.length = 0;
    const failed = await runJob({ fail: true, seconds: 1 });
    failures.length = 0;
    await run('jobs.retry', failed);
    assert.deepEqual(failures, []);
    const [id, description] = (await listedJobs())[0] ?? [];
    assert.equal(id, failed.jobId, 'a retried job is the newest one');
    assert.match(description ?? '', /(in the queue|running)/);
  });

  it('run several jobs again in the background, cancel one, and purge the others', async () => {
    // A worker that still runs the retried job could take one of the next jobs before it stops.
    const isRunning = async () => /(in the queue|running)/.test((await listedJobs())[0]?.[1] ?? '');
    for (let attempt = 0; attempt < 5_000 && (await isRunning()); attempt++);
    type('0-0');
    await run('endpoints.scale', endpoint);
    await run('jobs.runAgain', first, [first, first, first]);
    const waiting = (await listedJobs()).filter(([, description]) => description.includes('in the queue'));
    assert.equal(waiting.length, 3);

    await run('jobs.cancel', rowOf(waiting[0]?.[0] ?? ''));
    const states = async () => new Map((await listedJobs()).map(([id, description]) => [id, description]));
    assert.match((await states()).get(waiting[0]?.[0] ?? '') ?? '', /canceled/);

    const no = inputs();
    await run('jobs.purgeQueue', endpoint);
    no.done();
    assert.match(no.asked[0] ?? '', new RegExp(`^Remove 2 waiting jobs from the queue of “${name}”\\?`));
    const yes = inputs({ confirm: 'Purge Queue' });
    await run('jobs.purgeQueue', endpoint);
    yes.done();
    assert.match(messages.join(), /2 waiting jobs removed/);
    for (const [id] of waiting) assert.match((await states()).get(id) ?? '', /canceled/);

    messages.length = 0;
    await run('jobs.purgeQueue', endpoint);
    assert.match(messages.join(), /No job waits in the queue/);
  });

  it('cancel several jobs only after a confirmation', async () => {
    await run('jobs.runAgain', first, [first, first]);
    const rows = (await listedJobs()).slice(0, 2).map(([id]) => rowOf(id));
    const no = inputs();
    await run('jobs.cancel', rows[0], rows);
    no.done();
    assert.match(no.asked[0] ?? '', /^Cancel 2 jobs\?/);
    assert.match((await listedJobs())[0]?.[1] ?? '', /in the queue/);
    const keep = inputs();
    await run('jobs.remove', rows[0]);
    keep.done();
    assert.match(
      keep.asked[0] ?? '',
      /Remove the unfinished job from the list\?.*Unfinished jobs continue on the platform/,
    );
    assert.equal((await listedJobs())[0]?.[0], rows[0]?.jobId);
    const yes = inputs({ confirm: 'Cancel Jobs' });
    await run('jobs.cancel', rows[0], rows);
    yes.done();
    assert.match((await listedJobs())[0]?.[1] ?? '', /^view · canceled/);
    await run('jobs.cancel', rows[0]);
    assert.match(messages.join(), /the job has already ended/);
  });

  it('remove a job from the list, and add it again by its ID', async () => {
    await run('jobs.remove', first);
    assert.ok(!(await listedJobs()).some(([id]) => id === first.jobId));
    type(` ${first.jobId} `);
    choose(name);
    await run('jobs.checkStatus');
    const checked = await waitFor(editorsChanged, () =>
      vscode.window.visibleTextEditors.find(({ document }) => jobAddresses.parse(document.uri)?.jobId === first.jobId),
    );
    assert.equal(jobIn(checked.document).status, 'COMPLETED');
    assert.ok((await listedJobs()).some(([id]) => id === first.jobId));
    await run('jobs.openRequest', first);
    assert.match(messages.join(), /submitted elsewhere/);
  });

  it('report an ID that the platform does not have', async () => {
    type('no-such-job');
    choose(name);
    await run('jobs.checkStatus');
    assert.match(messages.join(), /does not have job no-such-job .* 24 hours .* Check the ID and the endpoint/);
    assert.ok(!(await listedJobs()).some(([id]) => id === 'no-such-job'));
  });

  it('filter the list by state, and clear the filter', async () => {
    const typed = inputs();
    const filtering = run('jobs.filter');
    const page = await typed.page('Filter Jobs');
    assert.ok((await page.loaded()).includes(name));
    await page.check('Canceled', name);
    await filtering;
    const again = run('jobs.filter');
    const second = await typed.page('Filter Jobs');
    assert.deepEqual(second.checked().sort(), [name, 'Canceled'].sort());
    await second.leave();
    await again;
    typed.done();
    const yes = inputs({ confirm: 'Clear' });
    const before = (await listedJobs()).length;
    const canceled = (await listedJobs()).filter(([, description]) => description.includes('canceled')).length;
    await run('jobs.clear');
    yes.done();
    assert.match(yes.asked[0] ?? '', new RegExp(`^Remove ${canceled} ended jobs .*Jobs outside the filter stay`));
    assert.equal((await listedJobs()).length, before - canceled);
    await run('jobs.clearFilter');
  });

  it('read unfinished jobs again', async () => {
    await run('jobs.refresh');
    assert.deepEqual(failures, []);
  });
});
