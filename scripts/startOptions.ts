import path from 'node:path';
import { parseArgs } from 'node:util';

export interface StartOptions {
  readonly port: number;
  /** Absolute. */
  readonly workspace: string;
  readonly browserOnly: boolean;
  readonly fresh: boolean;
}

/** Always the same one, because browsers keep what the editor stores in them (layout, secrets) per address. */
const defaultPort = 8770;

export const help = `npm start [-- options]

Builds the extension and opens VS Code with it: the desktop edition when the "code"
command is there, else the server edition, whose address is printed. Ctrl-C ends
everything that was started.

  --port N          port of the server edition on 127.0.0.1 (default ${defaultPort})
  --workspace DIR   folder to open (default samples/hello-queue)
  --browser-only    the server edition even when desktop VS Code is there
  --fresh           first throw away the profile used here: settings, and what the
                    extension and its local platform stored
  --help            this text

The profile is kept in .local/. While this runs, "npm run watch" in another terminal
rebuilds on every change; "Developer: Reload Window" in the editor then loads it.`;

/** What was asked for cannot be done as it was asked; the message says what to ask instead. */
export class UsageError extends Error {}

/** Reads the command line of `npm start`. @throws UsageError with the help text for what it does not know. */
export function readStartOptions(args: readonly string[], defaultWorkspace: string): StartOptions | 'help' {
  const { port, workspace, ...flags } = parse(args);
  if (flags.help) {
    return 'help';
  }
  const number = port === undefined ? defaultPort : Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    throw new UsageError(`--port is ${port ?? ''}, but must be a whole number from 1 to 65535.`);
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
