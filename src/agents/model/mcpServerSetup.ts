import type { Connection } from '../../client/connection.ts';

/* How programs start the MCP server. */

/** Environment variables of a hosted platform. */
export const HOSTED_VARIABLES = {
  baseUrl: 'CLOUD_COMPUTE_BASE_URL',
  restUrl: 'CLOUD_COMPUTE_REST_URL',
  queueUrl: 'CLOUD_COMPUTE_QUEUE_URL',
  endpointHost: 'CLOUD_COMPUTE_ENDPOINT_HOST',
  apiKey: 'CLOUD_COMPUTE_API_KEY',
  teamId: 'CLOUD_COMPUTE_TEAM_ID',
} as const satisfies Record<keyof Connection, string>;

export type HostedEnvironment = Partial<Record<(typeof HOSTED_VARIABLES)[keyof Connection], string>>;

/** Returns the environment variables of a hosted platform, without the key. */
export function hostedEnvironment(connection: Connection): HostedEnvironment {
  const { baseUrl, restUrl, queueUrl, endpointHost, teamId } = HOSTED_VARIABLES;
  return {
    [baseUrl]: connection.baseUrl,
    [restUrl]: connection.restUrl,
    [queueUrl]: connection.queueUrl,
    [endpointHost]: connection.endpointHost,
    ...(connection.teamId !== undefined && { [teamId]: connection.teamId }),
  };
}

/** A program, its arguments, and its environment, as clients of the protocol start it. */
export interface ServerStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ServerPlace {
  /** Path of Node.js, or of an editor that can be Node.js. */
  readonly node: string;
  /** Path of the command line program. */
  readonly program: string;
  /** Data directory of the local platform, which the server shares. */
  readonly dataDirectory: string;
  /** Absolute paths of the workspace folders. */
  readonly folders: readonly string[];
}

/** Returns how to start the server. */
export function serverStart({ node, program, dataDirectory, folders }: ServerPlace): ServerStart {
  const workspaces = folders.flatMap((folder) => ['--workspace', folder]);
  return {
    command: node,
    args: [program, 'mcp', '--data-dir', dataDirectory, ...workspaces],
    // The executable of a desktop editor is Node.js only with this variable.
    env: { ELECTRON_RUN_AS_NODE: '1' },
  };
}

/** Returns the configuration for other clients, as JSON that most of them accept. Contains no secret. */
export function serverConfiguration({ command, args, env }: ServerStart, hosted: HostedEnvironment = {}): string {
  return JSON.stringify({ mcpServers: { 'cloud-compute': { command, args, env: { ...env, ...hosted } } } }, null, 2);
}
