import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { createClient } from '../../src/client/client.ts';
import { platformProcess, type StartedPlatform } from '../../src/account/localPlatform/platformProcess.ts';
import { emptyPlatform } from './emptyPlatform.ts';
import { forgetAllConnections, inputs } from './inputs.ts';
import { activated, extension, nextEvent, stubbed, workspaceFolder } from './support.ts';

const VENDOR = 'cloud-compute';
const INTRODUCTION = 'I am not a language model. I answer from fixed rules.';

/** Chats with the sample worker on the local platform. The timeout allows for a slow start of processes. */
describe('Chat models', function () {
  let workerDirectory: string;
  /** IDs of the added models, by the name of the endpoint. */
  const ids = new Map<string, string>();

  before(async () => {
    const { extensionPath } = await activated();
    workerDirectory = path.relative(workspaceFolder().fsPath, path.join(extensionPath, 'samples/openai-chat/worker'));
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    await create('chat-balanced', 'LOAD_BALANCER');
    await create('chat-queue', 'QUEUE');
  });

  afterEach(() => vscode.commands.executeCommand('notifications.clearAll'));

  after(async () => {
    await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    await emptyPlatform();
  });

  async function create(name: string, type: 'QUEUE' | 'LOAD_BALANCER'): Promise<void> {
    const manifest = vscode.Uri.joinPath(workspaceFolder(), `${name}.endpoint.yaml`);
    const isQueue = type === 'QUEUE';
    await vscode.workspace.fs.writeFile(
      manifest,
      new TextEncoder().encode(
        [
          `name: ${name}`,
          `type: ${type}`,
          `scaling: ${isQueue ? '{ type: QUEUE_DELAY, queueDelay: 1 }' : '{ type: REQUEST_COUNT, requestCount: 10 }'}`,
          'workers: { min: 0, max: 1, idleTimeout: 30 }',
          'image: registry.example.com/chat:1.0',
          'cpu: [{ id: cpu3c, vcpuCount: 2 }]',
          'disk: 5',
          'env: { LOAD_SECONDS: "2" }',
          'x-local:',
          `  directory: ${workerDirectory}`,
          `  command: node ${isQueue ? 'handler.mjs' : 'server.mjs'}`,
          '',
        ].join('\n'),
      ),
    );
    await vscode.commands.executeCommand('cloudCompute.manifest.createEndpoint', manifest);
    // Other tests look for the endpoint of a job file in the manifests of the workspace.
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(manifest);
  }

  /** Registers the model of an endpoint as a user does. Resolves with the model that the editor then offers. */
  async function use(name: string, confirm?: string): Promise<vscode.LanguageModelChat> {
    const before = new Set((await vscode.lm.selectChatModels({ vendor: VENDOR })).map(({ id }) => id));
    const { page, done } = inputs(confirm === undefined ? {} : { confirm });
    const changed = nextEvent(vscode.lm.onDidChangeChatModels, () => true, 60_000);
    await stubbed(
      { showQuickPick: (items: Labels) => Promise.resolve(items.find(({ label }) => label === name)) },
      async () => {
        // The command ends with a message that waits for the user.
        void vscode.commands.executeCommand('cloudCompute.chatModels.add');
        const capabilities = await page('Use Endpoint as Chat Model');
        assert.deepEqual(capabilities.checked(), ['Tool calls']);
        await capabilities.accept();
        await changed;
      },
    );
    done();
    const added = (await vscode.lm.selectChatModels({ vendor: VENDOR })).find(({ id }) => !before.has(id));
    assert.ok(added, `a model of ${name} is offered`);
    ids.set(name, added.id);
    return added;
  }

  async function modelOf(name: string): Promise<vscode.LanguageModelChat> {
    const [found] = await vscode.lm.selectChatModels({ vendor: VENDOR, id: ids.get(name) ?? '' });
    assert.ok(found, `the model of ${name} is offered`);
    return found;
  }

  const user = (text: string) => vscode.LanguageModelChatMessage.User(text);

  async function textOf(response: vscode.LanguageModelChatResponse): Promise<string> {
    let text = '';
    for await (const part of response.text) text += part;
    return text;
  }

  /** Resolves with the error of a request. It can fail before or during the answer. */
  async function failure(
    request: () => Thenable<vscode.LanguageModelChatResponse>,
  ): Promise<Error & { code?: string }> {
    try {
      await textOf(await request());
    } catch (error) {
      return error as Error;
    }
    return assert.fail('the request succeeded');
  }

  for (const name of ['chat-balanced', 'chat-queue']) {
    describe(`of the endpoint ${name}`, () => {
      let chat: vscode.LanguageModelChat;

      before(async () => {
        chat = await use(name);
      });

      it('have the name, the family, and the limits that the worker reports', () => {
        assert.deepEqual(
          { name: chat.name, family: chat.family, version: chat.version, vendor: chat.vendor },
          { name: 'rules', family: 'rules', version: 'rules', vendor: VENDOR },
        );
        assert.equal(chat.maxInputTokens, 126_976);
      });

      it('stream their text', async () => {
        const response = await chat.sendRequest([user('count to 20')]);
        const parts: string[] = [];
        for await (const part of response.text) parts.push(part);
        assert.ok(parts.length > 10, `${parts.length} parts`);
        const counted = Array.from({ length: 20 }, (_, index) => index + 1).join(' ');
        assert.equal(parts.join(''), `${INTRODUCTION} ${counted}`);
      });

      it('call tools, and receive their results', async () => {
        const tool = {
          name: 'weather',
          description: 'Returns the weather',
          inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        };
        const question = user('call weather {"city": "Oslo"}');
        const calls: vscode.LanguageModelToolCallPart[] = [];
        const response = await chat.sendRequest([question], { tools: [tool] });
        for await (const part of response.stream)
          if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
        const [call] = calls;
        assert.ok(call && calls.length === 1);
        assert.deepEqual([call.name, call.input], ['weather', { city: 'Oslo' }]);
        const result = new vscode.LanguageModelToolResultPart(call.callId, [new vscode.LanguageModelTextPart('rain')]);
        const next = await chat.sendRequest(
          [question, vscode.LanguageModelChatMessage.Assistant([call]), vscode.LanguageModelChatMessage.User([result])],
          { tools: [tool] },
        );
        assert.equal(await textOf(next), 'The tool responded: rain');
      });

      it('must call a tool if the request requires it', async () => {
        const tool = { name: 'now', description: 'Returns the time' };
        const toolMode = vscode.LanguageModelChatToolMode.Required;
        const response = await chat.sendRequest([user('hello')], { tools: [tool], toolMode });
        const names: string[] = [];
        for await (const part of response.stream)
          if (part instanceof vscode.LanguageModelToolCallPart) names.push(part.name);
        assert.deepEqual(names, ['now']);
      });

      it('stop when the request is canceled, and answer the next one', async () => {
        const source = new vscode.CancellationTokenSource();
        const response = await chat.sendRequest([user('count to 100000')], {}, source.token);
        let text = '';
        try {
          for await (const part of response.text) {
            text += part;
            if (text.includes(' 5')) source.cancel();
          }
        } catch (error) {
          assert.match(String(error), /cancel/i);
        }
        assert.ok(!text.includes(' 1000 '), 'the answer ended early');
        // A worker of the queue runs one job at a time, so this answer needs the end of the other one.
        assert.equal(await textOf(await chat.sendRequest([user('say hello')])), `${INTRODUCTION} hello`);
      });

      it('report an error of the worker after the text that arrived', async () => {
        const response = await chat.sendRequest([user('fail')]);
        let text = '';
        const error = await failure(async () => {
          for await (const part of response.text) text += part;
          return response;
        });
        // The editor can drop the last parts before an error.
        assert.ok('This answer ends with an error.'.startsWith(text), text);
        assert.match(
          error.message,
          /“rules” could not answer: the worker reported an error \(the message requested a failure\)/,
        );
      });

      it('report that an answer was cut at the maximum number of tokens', async () => {
        const error = await failure(() =>
          chat.sendRequest([user('count to 50')], { modelOptions: { max_tokens: 15 } }),
        );
        assert.match(error.message, /reached the maximum number of tokens/);
      });

      it('count tokens', async () => {
        const few = await chat.countTokens('one two three');
        const many = await chat.countTokens(user('one two three '.repeat(100)));
        // The load-balanced worker has a tokenizer, which counts words. A message has four more tokens.
        if (name === 'chat-balanced') assert.deepEqual([few, many], [3, 304]);
        else assert.deepEqual([few, many], [4, 354]);
      });

      it('explain why an endpoint without workers does not answer', async () => {
        await scale(chat, 0);
        const error = await failure(() => chat.sendRequest([user('hello')]));
        assert.match(error.message, /the endpoint is paused: it allows no workers\. Run “Scale…”/);
        await scale(chat, 1);
      });

      it('wait for a worker to start, and show the wait in the status bar', async () => {
        const { withProgress } = vscode.window;
        const messages: string[] = [];
        const watched: typeof withProgress = (options, task) =>
          withProgress(options, (progress, token) => {
            const report: typeof progress.report = (value) => {
              if (options.location === vscode.ProgressLocation.Window)
                messages.push(`${options.title ?? ''}: ${(value as { message?: string }).message ?? ''}`);
              progress.report(value);
            };
            return task({ report }, token);
          });
        await stubbed({ withProgress: watched }, async () => {
          assert.match(await textOf(await chat.sendRequest([user('hello')])), /^I am not a language model/);
        });
        assert.match(messages.join('\n'), /^rules: \d s · waiting for a worker/m);
      });
    });
  }

  describe('of another connection', () => {
    let platform: StartedPlatform;
    let dataDir: string;
    let platformName: string;

    before(async () => {
      dataDir = await mkdtemp(path.join(tmpdir(), 'cloud-compute-chat-'));
      const script = path.join(extension().extensionPath, 'dist', 'platform.js');
      const log = vscode.window.createOutputChannel('Test of chat models', { log: true });
      platform = await platformProcess({ script, dataDir: () => dataDir, port: () => 0, log })();
      platformName = new URL(platform.announcement.baseUrl).host;
    });

    after(async () => {
      await forgetAllConnections();
      await platform.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
      await vscode.commands.executeCommand('cloudCompute.localPlatform.stop');
      await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
    });

    it('end their answer when the connection changes, and are not offered', async () => {
      const chat = await modelOf('chat-balanced');
      const response = await chat.sendRequest([user('count to 100000')]);
      const failed = failure(() => Promise.resolve(response));
      const changed = nextEvent(vscode.lm.onDidChangeChatModels);
      const { page, done } = inputs();
      const command = vscode.commands.executeCommand('cloudCompute.connect');
      await (await page('Connect to a Platform', 1)).type(platform.announcement.baseUrl);
      await (await page('Connect to a Platform', 2)).accept();
      await (await page('Connect to a Platform', 3)).type(platform.announcement.apiKey);
      await command;
      done();
      assert.match((await failed).message, /belongs to the connection “Local Platform”, which is not the current one/);
      await changed;
      assert.deepEqual(await vscode.lm.selectChatModels({ vendor: VENDOR }), []);
    });

    it('are added after consent to the costs', async () => {
      const client = createClient({ connection: platform.announcement, fetch });
      await client.createEndpoint({
        body: {
          name: 'paid',
          type: 'LOAD_BALANCER',
          scaling: { type: 'REQUEST_COUNT', requestCount: 4 },
          workers: { min: 0, max: 1 },
          image: `process:${path.join(extension().extensionPath, 'samples/openai-chat/worker')}`,
          entrypoint: ['node'],
          cmd: ['server.mjs'],
          cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
        },
      });
      const declined = inputs();
      await vscode.commands.executeCommand('cloudCompute.chatModels.add');
      declined.done();
      assert.equal(declined.asked.length, 1);
      assert.ok(declined.asked[0]?.startsWith(`Send 1 request to “paid” on “${platformName}”?`), declined.asked[0]);
      assert.deepEqual(await vscode.lm.selectChatModels({ vendor: VENDOR }), []);
      const chat = await use('paid', 'Send');
      assert.equal(await textOf(await chat.sendRequest([user('say hello')])), `${INTRODUCTION} hello`);
    });
  });

  describe('that are no longer needed', () => {
    it('are not offered while the platform does not run', async () => {
      const changed = nextEvent(vscode.lm.onDidChangeChatModels);
      assert.equal((await vscode.lm.selectChatModels({ vendor: VENDOR })).length, 2);
      await vscode.commands.executeCommand('cloudCompute.localPlatform.stop');
      await changed;
      assert.deepEqual(await vscode.lm.selectChatModels({ vendor: VENDOR }), []);
      await vscode.commands.executeCommand('cloudCompute.localPlatform.start');
      assert.equal((await vscode.lm.selectChatModels({ vendor: VENDOR })).length, 2);
    });

    it('can be removed', async () => {
      const { page, done } = inputs();
      const removing = vscode.commands.executeCommand('cloudCompute.chatModels.remove');
      const list = await page('Remove Chat Model');
      assert.deepEqual(list.descriptions(), ['chat-balanced', 'chat-queue']);
      await list.check(...list.labels());
      await removing;
      done();
      assert.deepEqual(await vscode.lm.selectChatModels({ vendor: VENDOR }), []);
    });
  });

  /** Sets the maximum number of workers as a user does. */
  async function scale(chat: vscode.LanguageModelChat, max: number): Promise<void> {
    const [endpointId] = chat.id.split('/');
    await stubbed({ showInputBox: () => Promise.resolve(`0-${max}`) }, () =>
      vscode.commands.executeCommand('cloudCompute.endpoints.scale', { kind: 'endpoint', endpointId }),
    );
  }
});

type Labels = readonly vscode.QuickPickItem[];
