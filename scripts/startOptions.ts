import path from 'node:path';
import { parseArgs } from 'node:util';

export interface StartOptions {
  readonly port: number;
  /** Absolute path. */
  readonly workspace: string;
  readonly browserOnly: boolean;
  readonly fresh: boolean;
}

/** Default port. It is fixed, because browsers store the layout and secrets of the editor per address. */
const defaultPort = 8770;

export const help = `npm start [-- options]

Builds the extension and opens VS Code with its walkthrough. Opens the desktop edition if the "code"
command is installed. Otherwise starts the server edition and prints its address.
Ctrl-C ends all started processes.

  --port N          port of the server edition on 127.0.0.1 (default ${defaultPort})
  --workspace DIR   folder to open (default samples/hello-queue)
  --browser-only    use the server edition even if desktop VS Code is installed
  --fresh           first delete the profile: settings, and the data of the extension
                    and its local platform
  --help            print this text

The profile is in .local/. To rebuild after each change, run "npm run watch" in another
terminal. To load a new build, run "Developer: Reload Window" in the editor.`;

/** An error in the command line. The message says how to correct it. */
export class UsageError extends Error {}

/** Parses the command line of `npm start`. @throws UsageError for an invalid port, or with the help text for an unknown option */
export function readStartOptions(args: readonly string[], defaultWorkspace: string): StartOptions | 'help' {
  const { port, workspace, ...flags } = parse(args);
  if (flags.help) {
    return 'help';
  }
  const number = port === undefined ? defaultPort : Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    throw new UsageError(`--port is ${port ?? ''}, but it must be an integer from 1 to 65535.`);
  }
  return {
    port: number,
    workspace: path.resolve(workspace ?? defaultWorkspace),
    browserOnly: flags['browser-only'],
    fresh: flags.fresh,
  };
}

interface Flags {
  readonly port?: string | undefined;
  readonly workspace?: string | undefined;
  readonly 'browser-only': boolean;
  readonly fresh: boolean;
  readonly help: boolean;
}

function parse(args: readonly string[]): Flags {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        workspace: { type: 'string' },
        'browser-only': { type: 'boolean', default: false },
        fresh: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
  }
}
