import * as z from 'zod';
import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { openEnum } from '../schema.ts';

/*
 * Terminals in workers. A terminal is a WebSocket of the control API. Binary messages carry the bytes of the terminal in both directions. A
 * text message of the client is a `TerminalSize`, and one of the platform a `TerminalEnd`, which is its last message.
 */

/** Maximum number of rows, and of columns. */
const MAX_SIZE = 10_000;

/** Size of a terminal, in characters. */
export const TerminalSize = z.object({ columns: z.int().min(1).max(MAX_SIZE), rows: z.int().min(1).max(MAX_SIZE) });
export type TerminalSize = z.infer<typeof TerminalSize>;

export const DEFAULT_TERMINAL_SIZE: TerminalSize = { columns: 80, rows: 24 };

/** Maximum size of a message of a client, in bytes. */
export const MAX_TERMINAL_INPUT_BYTES = 1_048_576;

/** Classes of causes for which a terminal cannot be opened. */
const TERMINAL_PROBLEMS = ['notRunning', 'notContainer', 'noShell', 'forbidden', 'unreachable', 'other'] as const;
export type TerminalProblem = (typeof TERMINAL_PROBLEMS)[number];

/**
 * End of a terminal. exited: the shell has ended. ended: the worker has ended. lost: the connection to the shell was lost. revoked: the caller
 * may no longer use it. failed: it could not be opened.
 */
export const TerminalEnd = z.looseObject({
  event: openEnum(['exited', 'ended', 'lost', 'revoked', 'failed']),
  /** Exit code of the shell. Set for exited. */
  code: z.int().optional(),
  /** Set for failed. */
  problem: openEnum(TERMINAL_PROBLEMS).optional(),
  /** Cause, for people. Set for ended and failed. */
  reason: z.string().optional(),
});
export type TerminalEnd = z.infer<typeof TerminalEnd>;

/** Names of the query parameters with the initial size. Default: 80 columns and 24 rows. */
export const TERMINAL_QUERY = { columns: 'columns', rows: 'rows' } as const;

const PATH = new RegExp(`^${CONTROL_PATH}/endpoints/([^/?]+)/workers/([^/?]+)/terminal(?:\\?|$)`);

/** Returns the path of a terminal, without a query. */
export function terminalPath({ endpointId, workerId }: { endpointId: string; workerId: string }): string {
  return `${CONTROL_PATH}/endpoints/${encodeURIComponent(endpointId)}/workers/${encodeURIComponent(workerId)}/terminal`;
}

/** Returns the worker in the path of a terminal; undefined for any other path. */
export function workerOfTerminal(path: string): { endpointId: string; workerId: string } | undefined {
  const [, endpointId, workerId] = PATH.exec(path) ?? [];
  try {
    if (endpointId === undefined || workerId === undefined) return undefined;
    return { endpointId: decodeURIComponent(endpointId), workerId: decodeURIComponent(workerId) };
  } catch {
    return undefined;
  }
}
