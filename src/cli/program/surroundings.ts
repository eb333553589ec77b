/** The parts of the process that a command uses. */
export interface Surroundings {
  /** Path of the platform's program. */
  readonly platformScript: string;
  /** Path of the program that simulates endpoints. */
  readonly simulationScript: string;
  /** Folder of the extension, which contains this program. */
  readonly extensionFolder: string;
  readonly version: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Writes to standard output: the result, for people or for programs. */
  readonly write: (text: string) => void;
  /** Writes a line for people to standard error: progress, warnings, and errors. */
  readonly tell: (line: string) => void;
  /** Shows a line in place of the last one, until `tell` writes a line. Undefined if standard error is not a terminal. */
  readonly show: ((line: string) => void) | undefined;
  /** Asks a person for a line. Undefined if standard input or standard error is not a terminal. */
  readonly ask: Ask | undefined;
  /** Aborted by an interruption. */
  readonly signal: AbortSignal;
  /** Aborted by a second interruption. */
  readonly secondSignal: AbortSignal;
}

/** @param hidden whether the terminal does not show the answer */
export type Ask = (question: string, options?: { readonly hidden?: boolean }) => Promise<string>;

/** A command with its arguments. Resolves with its exit code. */
export type Deed = (surroundings: Surroundings) => Promise<number>;
/** Runs a command that the arguments select. */
export type Run = (deed: Deed) => Promise<void>;
