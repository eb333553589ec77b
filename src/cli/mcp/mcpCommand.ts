import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { createClient } from '../../client/client.ts';
import { systemClock } from '../../client/clock.ts';
import type { ToolConnection, ToolContext } from '../../agents/actions/agentTool.ts';
import { AGENT_TOOLS } from '../../agents/actions/tools/index.ts';
import { connectionWithoutEditor } from '../../agents/actions/withoutEditor.ts';
import { workspaceFiles } from '../../agents/actions/workspaceFiles.ts';
import { ToolError } from '../../agents/model/toolError.ts';
import type { ProgramFiles } from '../programFiles.ts';
import { EnvironmentValues } from './environmentValues.ts';
import { hostedSetup, type HostedSetup } from './hostedConnection.ts';
import type { McpFlags } from './mcpFlags.ts';
import { SharedPlatform } from './sharedPlatform.ts';
import { createToolServer, type CallPart } from './toolServer.ts';
import { workspaceFolders } from './workspaceFolders.ts';

/** Time in which calls end after the client has ended the connection, such as by canceling their jobs, in ms. */
const MAX_END_MS = 10_000;

export interface McpSurroundings extends ProgramFiles {
  readonly environment: NodeJS.ProcessEnv;
  /** Writes a line for people to standard error. */
  readonly tell: (line: string) => void;
  /** Aborted by an interruption. */
  readonly signal: AbortSignal;
}

/** Serves the tools on standard input and output, until the connection ends. Leaves the local platform at the end. */
export async function mcpCommand(flags: McpFlags, { environment, tell, signal, ...files }: McpSurroundings) {
  const setup = hostedSetup(environment);
  if (setup && 'problem' in setup) tell(`No tool can reach the hosted platform. ${setup.problem}`);
  const platform = new SharedPlatform(files.platformScript, flags.dataDirectory);
  const hosted = setup && 'connection' in setup ? hostedConnection(setup.connection) : undefined;
  const values = new EnvironmentValues(environment);
  const ended = new AbortController();
  const calls = new Set<Promise<unknown>>();
  // With a hosted platform, the local one is used only once the user has agreed to start it.
  let usesLocal = setup === undefined;
  const localPlatform: ToolContext['localPlatform'] = {
    get isRunning() {
      return platform.isRunning;
    },
    start: async () => {
      await platform.start();
      usesLocal = true;
    },
    control: () => platform.control(),
  };
  const contextOf = async (call: CallPart, folders: readonly string[] | undefined): Promise<ToolContext> => {
    await platform.joinRunning().catch((error: unknown) => tell((error as Error).message));
    return {
      ...call,
      signal: AbortSignal.any([call.signal, ended.signal]),
      connection: () => currentConnection(usesLocal ? platform.connection : hosted, setup),
      files: workspaceFiles(workspaceFolders(flags.workspaces, folders, process.cwd())),
      localPlatform,
      values,
      secrets: () => Promise.resolve([...values.used, ...keysOf(setup), ...keyOf(platform)]),
      clock: systemClock,
    };
  };
  const version = await versionIn(files.packageFile);
  const transport = new StdioServerTransport();
  const server = serveStdio(
    () => createToolServer({ version, tools: AGENT_TOOLS, allowChanges: flags.allowChanges, contextOf, onCall: track }),
    { transport, onerror: (error) => tell(`protocol error: ${error.message}`) },
  );
  tell('Cloud Compute serves its tools on standard input and output.');
  await connectionEnd(transport, signal);
  ended.abort();
  const limit = new AbortController();
  await Promise.race([Promise.allSettled(calls), systemClock.sleep(MAX_END_MS, limit.signal).catch(() => undefined)]);
  limit.abort();
  await server.close();
  await platform.leave();

  function track(call: Promise<unknown>): void {
    calls.add(call);
    void call.catch(() => undefined).finally(() => calls.delete(call));
  }
}

function hostedConnection(connection: Parameters<typeof createClient>[0]['connection']): ToolConnection {
  const { host } = new URL(connection.baseUrl);
  const client = createClient({ connection, fetch: globalThis.fetch });
  return connectionWithoutEditor(client, { name: host, isLocal: false, host });
}

/** @throws ToolError `notConnected` */
function currentConnection(connection: ToolConnection | undefined, setup: HostedSetup | undefined): ToolConnection {
  if (connection) return connection;
  throw new ToolError(
    'notConnected',
    setup && 'problem' in setup
      ? `The hosted platform is not configured: ${setup.problem} The environment of the MCP server contains these variables.`
      : 'The local platform is not running, and no hosted platform is configured.',
  );
}

function keyOf({ apiKey }: SharedPlatform): readonly string[] {
  return apiKey === undefined ? [] : [apiKey];
}

function keysOf(setup: HostedSetup | undefined): readonly string[] {
  return setup && 'connection' in setup ? [setup.connection.apiKey] : [];
}

/**
 * Resolves when the transport closes, or after an interruption. The transport closes at the end of standard input, after a line that is too
 * long, and when standard output fails.
 */
function connectionEnd(transport: StdioServerTransport, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    resolve();
  };
  signal.addEventListener('abort', () => resolve(), { once: true });
  if (signal.aborted) resolve();
  return promise;
}

async function versionIn(packageFile: string): Promise<string> {
  return z.object({ version: z.string() }).parse(JSON.parse(await readFile(packageFile, 'utf8'))).version;
}
