import process from 'node:process';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { systemClock } from '../../client/clock.ts';
import type { ToolConnection, ToolContext } from '../../agents/actions/agentTool.ts';
import { AGENT_TOOLS } from '../../agents/actions/tools/index.ts';
import { workspaceFiles } from '../../agents/actions/workspaceFiles.ts';
import { ToolError } from '../../agents/model/toolError.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { EnvironmentValues } from '../connection/environmentValues.ts';
import { hostedSession, secretOf } from '../connection/openSession.ts';
import { hostedSetup, type HostedSetup } from '../connection/hostedSetup.ts';
import { SharedPlatform } from '../connection/sharedPlatform.ts';
import { createToolServer, type CallPart } from './toolServer.ts';
import { workspaceFolders } from './workspaceFolders.ts';

/** Time in which calls end after the client has ended the connection, such as by canceling their jobs, in ms. */
const MAX_END_MS = 10_000;

export interface McpFlags {
  /** Absolute paths of the folders whose files tools can use. Empty: the folders of the client, or the working directory. */
  readonly workspaces: readonly string[];
  /** Absolute path of the data directory of the local platform. */
  readonly dataDirectory: string;
  /** Whether a client that cannot ask the user may change things. */
  readonly allowChanges: boolean;
}

/** Serves the tools on standard input and output, until the connection ends. Leaves the local platform at the end. */
export async function mcpCommand(
  flags: McpFlags,
  { environment, tell, signal, platformScript, version }: Surroundings,
): Promise<void> {
  const setup = hostedSetup(environment);
  if (setup && 'problem' in setup) tell(`No tool can reach the hosted platform. ${setup.problem}`);
  const platform = new SharedPlatform(platformScript, flags.dataDirectory);
  const hosted = setup && 'connection' in setup ? hostedSession(setup.connection, environment) : undefined;
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
      secrets: () =>
        Promise.resolve([
          ...values.used,
          ...keysOf(setup),
          ...keyOf(platform),
          ...secretOf(hosted),
          ...secretOf(platform.connection),
        ]),
      clock: systemClock,
    };
  };
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
