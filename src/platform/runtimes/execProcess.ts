import { newToken } from '../ids.ts';
import type { ExecRequest } from './runtime.ts';

/*
 * Processes of programs beside workers. Engines do not end a program whose connection is closed, and do not tell the number of its process
 * inside the container. So the program and its descendants carry a variable, and another program kills all processes that have it.
 */

/** Name of the variable of the programs beside a worker. */
export const EXEC_VARIABLE = 'CLOUD_COMPUTE_EXEC';

/** Type of the terminals, as `TERM` names it. */
const TERMINAL = 'TERM=xterm-256color';

/** Environment of a program that identifies its processes. */
export interface ExecMark {
  /** As `NAME=value`, for the program and its descendants. */
  readonly variable: string;
  /** Kills all processes with the variable. Needs `sh` and `grep` in the image. */
  readonly killCommand: readonly string[];
}

/** Passes over the processes, because a process can create another one during a pass. */
const PASSES = [1, 2, 3, 4, 5];

export function newExecMark(): ExecMark {
  const variable = `${EXEC_VARIABLE}=${newToken()}`;
  const script = `for pass in ${PASSES.join(' ')}; do
  found=
  for process in /proc/[0-9]*; do
    grep -qF "$0" "$process/environ" 2>/dev/null && kill -9 "\${process#/proc/}" 2>/dev/null && found=1
  done
  [ -n "$found" ] || exit 0
done`;
  return { variable, killCommand: ['sh', '-c', script, variable] };
}

/** Returns the variables of a program, each as `NAME=value`. */
export function execVariables({ terminal }: ExecRequest, { variable }: ExecMark): string[] {
  return terminal ? [variable, TERMINAL] : [variable];
}
