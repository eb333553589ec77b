import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ApiError } from '../../src/client/apiError.ts';
import type { Client } from '../../src/client/client.ts';
import { registerBudgetWarning } from '../../src/features/spend/budgetWarning.ts';
import { endpointCostFacts, workerCostFact } from '../../src/account/prices/costFacts.ts';
import { registerIdleNotice } from '../../src/features/spend/idleNotice.ts';
import { accountSpendOf, type AccountSpend } from '../../src/account/prices/spend.ts';
import { SilencedStore } from '../../src/features/spend/noticeStores.ts';
import type { SpendState } from '../../src/features/spend/spendStore.ts';
import { spendStatus, type SpendView } from '../../src/features/spend/spendWords.ts';
import { TreeCosts } from '../../src/account/prices/treeCosts.ts';
import type { EndpointSnapshot } from '../../src/account/endpoints/endpointSnapshot.ts';
import { EndpointTreeProvider } from '../../src/features/endpoints/endpointTreeProvider.ts';
import { ViewOptionsStore } from '../../src/features/endpoints/viewOptionsStore.ts';
import type { LiveValues } from '../../src/account/liveValues/liveValues.ts';
import type { AccountServices } from '../../src/account/accountServices.ts';
import { Emitter } from '../../src/kit/emitter.ts';
import { dailyReport, prices } from '../features/spend/sample.ts';
import { endpoint, health, snapshot, worker, workers } from '../features/endpoints/sample.ts';
import { memento } from '../features/jobs/memento.ts';
import { steppedClock } from '../features/steppedClock.ts';
import { emptyPlatform } from './emptyPlatform.ts';
import { JobWorld } from './jobWorld.ts';
import { activated, waitFor, workspaceFolder } from './support.ts';

const MINUTE = 60_000;
const { executeCommand } = vscode.commands;
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
const window = vscode.window as Mutable<typeof vscode.window>;

const setting = async (name: string, value: unknown) =>
  vscode.workspace.getConfiguration('cloudCompute.costs').update(name, value, vscode.ConfigurationTarget.Global);

/** Resolves once pending callbacks have run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Collects the notifications, and answers each one with a button. */
function notifications() {
  const { showWarningMessage, showInformationMessage } = vscode.window;
  const texts: string[] = [];
  const state = { choice: undefined as string | undefined };
  const show = (message: string, ...buttons: unknown[]) => {
    texts.push([message, ...buttons].join(' | '));
    return Promise.resolve(buttons.find((button) => button === state.choice) as never);
  };
  window.showWarningMessage = show;
  window.showInformationMessage = show;
  return {
    texts,
    state,
    [Symbol.dispose]: () => void Object.assign(window, { showWarningMessage, showInformationMessage }),
  };
}

/** Answers each input box with the next text. Returns the titles, and the initial values. */
function answering(...answers: (string | undefined)[]) {
  const { showInputBox } = vscode.window;
  const offered: string[] = [];
  window.showInputBox = (options?: vscode.InputBoxOptions) => {
    offered.push(`${options?.title ?? ''}: ${options?.value ?? ''}`);
    return Promise.resolve(answers.shift());
  };
  return { offered, [Symbol.dispose]: () => void Object.assign(window, { showInputBox }) };
}

const spend = (month: number, monthName = '2026-03'): AccountSpend => ({
  ...accountSpendOf(dailyReport({ [`${monthName}-02`]: month }, `${monthName}-03T00:00:00Z`), 0),
});

describe('The spend in the status bar', () => {
  const hosted = { name: 'Acme', kind: 'hosted' } as const;
  const view = (changes: Partial<SpendView> = {}): SpendView => ({
    amounts: 'both',
    state: { spend: spend(12.5), readAt: Date.parse('2026-03-02T12:00:00Z'), error: undefined },
    budget: 50,
    connection: hosted,
    ...changes,
  });
  const refused = new ApiError('forbidden', 'no access', { operation: 'listBilling', status: 403 });
  const markdownOf = (status: ReturnType<typeof spendStatus>) =>
    typeof status.tooltip === 'object' && 'markdown' in status.tooltip
      ? status.tooltip.markdown.source.replaceAll('\\', '')
      : '';

  it('contains the amounts that the setting names', () => {
    const textOf = (amounts: SpendView['amounts']) => String(spendStatus(view({ amounts })).text);
    assert.equal(textOf('today'), '$(credit-card) $12.50 today');
    assert.equal(textOf('month'), '$(credit-card) $12.50 this month');
    assert.equal(textOf('both'), '$(credit-card) $12.50 today · $12.50 this month');
    assert.equal(
      String(spendStatus(view({ amounts: 'today' })).spoken),
      'Cloud Compute spend: $12.50 today. Open Billing',
    );
  });

  it('explains the budget, and that the local platform is free', () => {
    assert.match(markdownOf(spendStatus(view())), /\| Budget \| 25 % of \$50\.00 \|/);
    const local = markdownOf(spendStatus(view({ connection: { name: 'Local Platform', kind: 'local' } })));
    assert.match(local, /The local platform is free/);
    assert.doesNotMatch(local, /Budget/);
  });

  it('is unknown before the first read, and keeps the last amounts after a failure', () => {
    const state = (changes: Partial<SpendState>) =>
      spendStatus(view({ state: { spend: undefined, readAt: undefined, error: undefined, ...changes } }));
    assert.equal(String(state({}).text), '$(credit-card) Reading spend…');
    assert.equal(String(state({ error: refused }).text), '$(warning) Spend unknown');
    assert.match(markdownOf(state({ error: refused })), /Could not read the spend: the API key does not allow this/);
    assert.match(String(state({ error: refused, spend: spend(1) }).text), /^\$\(warning\) \$1\.00 today/);
  });
});

describe('A monthly budget', () => {
  before(() => activated());

  afterEach(() => setting('monthlyBudget', undefined));

  /** Two windows that share the storage. */
  function windows(kind: 'local' | 'hosted' = 'hosted') {
    const storage = memento();
    const connections = { profile: { id: 'c', kind, name: 'Acme' } };
    const one = () => {
      const changed = new Emitter<void>();
      const store = { state: { spend: undefined as AccountSpend | undefined, readAt: 0, error: undefined } };
      const log = { warn: (text: string) => assert.fail(text) };
      const registration = registerBudgetWarning(
        { connections, globalState: storage, log },
        {
          get state() {
            return store.state;
          },
          onDidChange: changed.event,
        },
      );
      return {
        read: async (month: number, monthName?: string) => {
          store.state = { ...store.state, spend: spend(month, monthName) };
          changed.fire();
          await settled();
        },
        [Symbol.dispose]: () => void registration.dispose(),
      };
    };
    return { one, connections };
  }

  it('warns at 50, 80, and 100 %, once each in all windows, and again next month', async () => {
    using told = notifications();
    await setting('monthlyBudget', 100);
    const { one } = windows();
    using first = one();
    using second = one();
    for (const month of [10, 50, 55, 85, 85, 120, 130]) {
      await first.read(month);
      await second.read(month);
    }
    const message = (spent: string, percent: number) =>
      `“Acme” has spent ${spent} this month: ${percent} % of the budget of $100.00. | Open Billing | Change Budget…`;
    assert.deepEqual(told.texts, [message('$50.00', 50), message('$85.00', 85), message('$120.00', 120)]);
    await second.read(60, '2026-04');
    assert.equal(told.texts.length, 4);
  });

  it('causes no warning without a budget, or for the local platform', async () => {
    using told = notifications();
    {
      using withoutBudget = windows().one();
      await withoutBudget.read(1_000);
    }
    await setting('monthlyBudget', 100);
    using local = windows('local').one();
    await local.read(1_000);
    assert.deepEqual(told.texts, []);
  });

  it('changes with the button of a warning, and shows the thresholds while it is typed', async () => {
    using told = notifications();
    told.state.choice = 'Change Budget…';
    await setting('monthlyBudget', 100);
    const changed = new Promise<void>((resolve) => {
      const subscription = vscode.workspace.onDidChangeConfiguration(() => {
        subscription.dispose();
        resolve();
      });
    });
    using asked = answering('250');
    using one = windows().one();
    await one.read(60);
    await changed;
    assert.deepEqual(asked.offered, ['Monthly Budget: 100']);
    assert.equal(vscode.workspace.getConfiguration('cloudCompute.costs').get('monthlyBudget'), 250);
  });
});

const cpu = [{ id: 'cpu3c', vcpuCount: 2 }];

/** The endpoints of a connection, and services that read them. */
function world(kind: 'local' | 'hosted' = 'hosted') {
  const time = steppedClock();
  const changed = new Emitter<{ list: boolean; ids: ReadonlySet<string> }>();
  const priced = new Emitter<void>();
  const state = { snapshots: [] as EndpointSnapshot[], values: prices as LiveValues };
  const profile = { id: 'c', kind, name: 'Acme' };
  const services = {
    clock: time.clock,
    log: { error: () => undefined, warn: () => undefined },
    connections: {
      profile,
      client: {} as Client,
      onDidChange: new Emitter<void>().event,
      find: () => profile,
    },
    endpoints: {
      get endpoints() {
        return state.snapshots;
      },
      find: (id: string) => state.snapshots.find((one) => one.endpoint.id === id),
      readAt: () => time.clock.now(),
      refresh: () => Promise.resolve(),
      onDidChange: changed.event,
      setExpanded: () => undefined,
      update: () => Promise.resolve(),
    },
    liveValues: {
      get current() {
        return state.values;
      },
      onDidChange: priced.event,
    },
    chatModels: { ofEndpoint: () => [], onDidChange: new Emitter<void>().event },
  } as unknown as AccountServices;
  const read = (...snapshots: EndpointSnapshot[]) => {
    state.snapshots = snapshots;
    changed.fire({ list: true, ids: new Set(snapshots.map(({ endpoint: { id } }) => id)) });
  };
  const reprice = (values: LiveValues) => {
    state.values = values;
    priced.fire();
  };
  return { time, services, read, reprice };
}

const priced = (min: number, ...statuses: string[]) =>
  snapshot(workers(...statuses), { endpoint: { ...endpoint, cpu, workers: { min, max: 3 } }, health: health({}) });

describe('Costs in the endpoints view', () => {
  before(() => activated());

  function tree() {
    const { services, read, reprice } = world('local');
    const costs = new TreeCosts(services);
    const noChange = new Emitter<void>().event;
    const options = new ViewOptionsStore(memento(), memento(), { profile: { id: 'c' }, onDidChange: noChange });
    const provider = new EndpointTreeProvider(services, options, costs);
    const repainted: unknown[] = [];
    provider.onDidChangeTreeData((nodes) => repainted.push(nodes));
    const rows = async () => {
      const [node] = await provider.getChildren();
      const children = await provider.getChildren(node);
      return [...(node ? [node] : []), ...children].map((one) => provider.getTreeItem(one));
    };
    return {
      ...{ read, reprice, rows, repainted },
      [Symbol.dispose]: () => {
        provider.dispose();
        costs.dispose();
      },
    };
  }

  it('are in the rows of endpoints and workers, and in their spoken texts', async () => {
    using one = tree();
    one.read(
      snapshot(
        { ...workers('RUNNING', 'IDLE'), workers: [worker('w1', 'RUNNING', { uptimeSeconds: 3_600 }), worker('w2')] },
        { endpoint: { ...endpoint, cpu } },
      ),
    );
    const [row, first, second] = await one.rows();
    assert.equal(row?.description, '1 running, 1 idle · $0.144/h · hello/');
    assert.equal(row.accessibilityInformation?.label, 'Endpoint hello, 1 running, 1 idle, $0.144 per hour');
    assert.equal(first?.description, 'running · $0.07 at $0.072/h · up 1 h 0 min · CPU · v2');
    assert.match(first.accessibilityInformation?.label ?? '', /, \$0\.07 so far at \$0\.072 per hour, CPU/);
    assert.equal(second?.description, 'idle · $0.072/h · up 1 min · CPU · v2');
  });

  it('disappear without prices, and appear with them', async () => {
    using one = tree();
    one.read(priced(0, 'IDLE'));
    await one.rows();
    one.reprice({});
    assert.equal((await one.rows())[0]?.description, '1 idle · hello/');
    const before = one.repainted.length;
    one.reprice(prices);
    assert.equal(one.repainted.length, before + 1);
    one.reprice({ ...prices, registries: [] });
    assert.equal(one.repainted.length, before + 1, 'other lists do not repaint the tree');
    assert.equal((await one.rows())[0]?.description, '1 idle · $0.072/h · hello/');
  });

  it('are in the tooltips, with the spend or the reason why it is unknown', () => {
    const rate = { usdPerHour: 0.144, isUpperBound: true };
    const known = { today: 0.5, month: 12, monthName: '2026-03' };
    assert.deepEqual(endpointCostFacts({ rate, spend: known, isLocal: true }), [
      ['Cost now', 'up to $0.144/h, at hosted prices'],
      ['Spend', '$0.50 today, $12.00 this month (UTC), at hosted prices'],
    ]);
    const reasons = (['forbidden', 'rateLimited', 'network', 'server'] as const).map((kind) => {
      const error = new ApiError(kind, 'no', { operation: 'listServerlessBilling' });
      return endpointCostFacts({ spend: error })[0]?.[1];
    });
    assert.deepEqual(reasons, [
      'unknown: the API key has no access to billing',
      'unknown: too many requests',
      'unknown: the platform cannot be reached',
      'unknown: the platform could not report it',
    ]);
    assert.deepEqual(endpointCostFacts({}), []);
    const cost = { usdPerHour: 0.072, isUpperBound: false, soFar: 0.0123, isLocal: false };
    assert.equal(workerCostFact(cost), '$0.0123 so far, $0.072/h');
  });
});

describe('The notice about idle workers', () => {
  before(() => activated());

  afterEach(() => setting('idleNoticeMinutes', undefined));

  function watched(kind: 'local' | 'hosted' = 'hosted', silenced = new SilencedStore(memento())) {
    const { time, services, read } = world(kind);
    const registration = registerIdleNotice(services, silenced);
    return { time, read, silenced, [Symbol.dispose]: () => void registration.dispose() };
  }

  it('appears once per idle period, with the cost and the reason', async () => {
    using told = notifications();
    using one = watched();
    one.read(priced(2, 'IDLE', 'IDLE'));
    one.time.advance(29 * MINUTE);
    one.read(priced(2, 'IDLE', 'IDLE'));
    await settled();
    assert.deepEqual(told.texts, []);
    one.time.advance(11 * MINUTE);
    one.read(priced(2, 'IDLE', 'IDLE'));
    one.time.advance(11 * MINUTE);
    one.read(priced(2, 'IDLE', 'IDLE'));
    await settled();
    assert.deepEqual(told.texts, [
      '“hello”: 2 workers idle for 40 min, $0.10. workers.min keeps 2 workers. | Scale to 0… | Not Again for This Endpoint',
    ]);
  });

  it('appears without a change of the endpoint, because time passes', async () => {
    using told = notifications();
    using one = watched('local');
    one.read(priced(0, 'IDLE'));
    for (let minute = 0; minute < 30; minute++) {
      one.time.advance(MINUTE);
      await settled();
    }
    assert.equal(told.texts.length, 1);
    assert.match(told.texts[0] ?? '', /1 worker idle for 30 min, \$0\.04 at hosted prices\./);
  });

  it('is off with 0 minutes', async () => {
    using told = notifications();
    await setting('idleNoticeMinutes', 0);
    using one = watched();
    one.read(priced(1, 'IDLE'));
    one.time.advance(600 * MINUTE);
    one.read(priced(1, 'IDLE'));
    await settled();
    assert.deepEqual(told.texts, []);
  });

  it('does not appear again for an endpoint once the user said so', async () => {
    using told = notifications();
    told.state.choice = 'Not Again for This Endpoint';
    using one = watched();
    const period = async () => {
      one.read(priced(0, 'RUNNING'));
      one.read(priced(0, 'IDLE'));
      one.time.advance(31 * MINUTE);
      one.read(priced(0, 'IDLE'));
      await settled();
    };
    await period();
    await period();
    assert.equal(told.texts.length, 1);
    await one.silenced.clear('c');
    await period();
    assert.equal(told.texts.length, 2);
  });

  it('offers to scale with a range that stops the workers', async () => {
    using told = notifications();
    told.state.choice = 'Scale to 0…';
    const offered: string[] = [];
    for (const min of [2, 0]) {
      using asked = answering(undefined);
      using one = watched();
      one.read(priced(min, 'IDLE'));
      one.time.advance(31 * MINUTE);
      one.read(priced(min, 'IDLE'));
      await settled();
      await settled();
      offered.push(...asked.offered);
    }
    assert.deepEqual(offered, ['Scale “hello”: 0-3', 'Scale “hello”: 0-0']);
  });
});

describe('An estimate of costs', function () {
  const jobs = new JobWorld();
  const opened = [vscode.workspace.onDidOpenTextDocument] as unknown as vscode.Event<never>[];
  let endpointId = '';

  before(async () => {
    await jobs.start();
    await jobs.reset();
    endpointId = await jobs.endpoint('priced');
    await executeCommand('cloudCompute.endpoints.refresh');
  });

  after(async () => {
    await jobs.stop();
    await emptyPlatform();
  });

  afterEach(() => executeCommand('workbench.action.closeAllEditors'));

  /** Runs the command, and returns the text of its report, without the backslashes of Markdown. */
  async function estimated(...args: unknown[]): Promise<string> {
    const known = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
    await executeCommand('cloudCompute.costs.estimate', ...args);
    const document = await waitFor(opened, () =>
      vscode.workspace.textDocuments.find(
        ({ uri }) => uri.scheme === 'cloud-compute-estimate' && !known.has(uri.toString()),
      ),
    );
    const { permissions } = await vscode.workspace.fs.stat(document.uri);
    assert.equal(permissions, vscode.FilePermission.Readonly);
    return document.getText().replaceAll('\\', '');
  }

  it('asks nothing if the caller gives the time and the number of jobs', async () => {
    const node = { kind: 'endpoint', endpointId };
    const text = await estimated(node, { secondsPerJob: 2, jobsPerDay: 1_000 });
    assert.match(text, /^# Cost estimate of “priced”/);
    // workers.min is 1, so one worker is up for 30 days at $0.072 per hour.
    assert.match(text, /\*\*\$51\.84 a month\*\* on cpu3c with 2 vCPU, for 1,000 jobs a day of 2 s each/);
    assert.match(text, /\*\*cpu3c\*\* ← this endpoint/);
    assert.match(text, /## GPU pools/);
  });

  it('of a manifest asks for the time, and remembers the number of jobs', async () => {
    const manifest = vscode.Uri.joinPath(workspaceFolder(), 'costly.endpoint.yaml');
    const lines = ['name: costly', 'type: QUEUE', 'image: a:1', 'gpu: { pools: [ADA_24, AMPERE_16] }'];
    const text = [...lines, 'scaling: { type: QUEUE_DELAY, queueDelay: 4 }', ''].join('\n');
    await vscode.workspace.fs.writeFile(manifest, new TextEncoder().encode(text));
    using asked = answering('3.6', '100', '3.6', undefined);
    const report = await estimated(manifest);
    assert.match(report, /\*\*\$6\.53 to \$12\.65 a month\*\*, on 1 GPU of AMPERE_16 to 1 GPU of ADA_24/);
    assert.match(report, /\*\*ADA_24\*\* ← this manifest/);
    assert.match(report, /You entered the job time\./);
    await executeCommand('cloudCompute.costs.estimate', manifest);
    const [time, number] = ['Estimate Costs of “costly”: Time of a Job', 'Estimate Costs of “costly”: Jobs'];
    assert.deepEqual(asked.offered, [`${time}: `, `${number}: 1000`, `${time}: `, `${number}: 100`]);
    await vscode.workspace.fs.delete(manifest);
  });

  it('of an invalid manifest reports the first error', async () => {
    const manifest = vscode.Uri.joinPath(workspaceFolder(), 'wrong.endpoint.yaml');
    await vscode.workspace.fs.writeFile(manifest, new TextEncoder().encode('name: wrong\ntype: HEAP\n'));
    jobs.messages.length = 0;
    await executeCommand('cloudCompute.costs.estimate', manifest);
    assert.match(jobs.messages.join(), /Could not estimate the costs: wrong\.endpoint\.yaml, line \d/);
    await vscode.workspace.fs.delete(manifest);
  });

  it('offers the measured times: those of the Jobs view, and those of the local meter', async () => {
    await jobs.run('priced', { endpoint: 'priced', input: { do: 'echo', value: 1 } });
    const { showQuickPick } = vscode.window;
    const offered: string[] = [];
    let wanted = 'measured run time';
    window.showQuickPick = ((items: readonly vscode.QuickPickItem[]) => {
      offered.push(...items.map(({ description = '' }) => description));
      return Promise.resolve(items.find(({ description }) => description === wanted));
    }) as never;
    const node = { kind: 'endpoint', endpointId };
    const byHistory = await estimated(node, { jobsPerDay: 10 });
    wanted = 'metered by the local platform';
    const byMeter = await estimated(node, { jobsPerDay: 10 });
    window.showQuickPick = showQuickPick;
    assert.deepEqual(offered.slice(0, 3), ['measured run time', 'metered by the local platform', '']);
    assert.match(byHistory, /Job time: mean of 1 completed job\./);
    assert.match(byMeter, /Metered: \d+ s of workers for 1 job/);
  });
});
