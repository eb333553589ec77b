import { homedir } from 'node:os';
import path from 'node:path';
import { badFlag, parseFlags } from '../parseFlags.ts';

export interface McpFlags {
  /** Absolute paths of the folders whose files tools can use. Empty: the folders of the client, or the working directory. */
  readonly workspaces: readonly string[];
  /** Absolute path of the data directory of the local platform. */
  readonly dataDirectory: string;
  /** Whether a client that cannot ask the user may change things. */
  readonly allowChanges: boolean;
}

export const MCP_USAGE = `Usage: node cli.js mcp [options]

Serves the tools of Cloud Compute to agents, with the Model Context Protocol on standard input and output. Messages for
people are on standard error. The server ends with standard input, and after a message of more than 10 MB.

By default, the tools use the local platform, which is free. A running one is shared, and the tool start_local_platform
starts one. For a hosted platform, set these environment variables:

  CLOUD_COMPUTE_BASE_URL        address of the management API
  CLOUD_COMPUTE_API_KEY         API key, which is never a flag, because other programs can read flags
  CLOUD_COMPUTE_REST_URL        address of the v1 API (default: derived from the base URL, like the next two)
  CLOUD_COMPUTE_QUEUE_URL       address of queue-based endpoints
  CLOUD_COMPUTE_ENDPOINT_HOST   address of load-balanced endpoints, with {endpoint_id}
  CLOUD_COMPUTE_TEAM_ID         ID of the team to act for (default: the account of the key)

Options:
  --workspace DIR     folder whose files tools can read, and in which they create files; can be repeated (default: the
                      folders of the client, or the working directory unless that is the home directory or a root)
  --data-dir DIR      data directory of the local platform (default: ~/.cloud-compute)
  --allow-changes     run tools that change something or cost money without asking, if the client cannot ask the user
                      (default: such calls fail and say what would have happened)
  --help              print this help and exit

Exit codes:
  0    the connection with the client ended
  2    the arguments are invalid
  129, 130, 143   the program was interrupted by SIGHUP, SIGINT, or SIGTERM
`;

/** Returns the flags of the command `mcp`, or `help`. @throws CannotRunError for invalid arguments */
export function readMcpFlags(args: readonly string[]): McpFlags | 'help' {
  const { values } = parseFlags({
    args: [...args],
    options: {
      workspace: { type: 'string', multiple: true, default: [] },
      'data-dir': { type: 'string', default: path.join(homedir(), '.cloud-compute') },
      'allow-changes': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const { workspace, 'data-dir': dataDirectory } = values;
  if (workspace.includes('')) throw badFlag('--workspace needs a folder');
  if (dataDirectory === '') throw badFlag('--data-dir needs a directory');
  return {
    workspaces: workspace.map((folder) => path.resolve(folder)),
    dataDirectory: path.resolve(dataDirectory),
    allowChanges: values['allow-changes'],
  };
}
