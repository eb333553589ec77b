import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isCanceled, showError } from '../../../kit/errors.ts';
import { explain } from '../../../kit/explain.ts';
import type { Log } from '../../../kit/log.ts';
import { terminalLines } from '../model/jobTask.ts';

/** Writes a text to the terminal of a task, on lines of its own. The text can be foreign. */
export type Print = (text: string) => void;

/** The work of a task. Resolves with whether it succeeded. Aborting the signal ends it. */
export type TaskWork = (print: Print, signal: AbortSignal) => Promise<boolean>;

const CTRL_C = '\x03';

/** The terminal of one run of a task. Its exit code is 0 for success and 1 otherwise. Ctrl-C and the end of the task abort the work. */
export class TaskTerminal implements vscode.Pseudoterminal {
  readonly #wrote = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.#wrote.event;
  readonly #closed = new vscode.EventEmitter<number>();
  readonly onDidClose = this.#closed.event;
  readonly #stop = new AbortController();
  readonly #work: TaskWork;
  readonly #attempt: string;
  readonly #log: Log;

  /** @param attempt start of the message about a failure, such as "Could not run the job" */
  constructor(work: TaskWork, attempt: string, log: Log) {
    this.#work = work;
    this.#attempt = attempt;
    this.#log = log;
  }

  open(): void {
    void this.#run().then((succeeded) => {
      this.#closed.fire(succeeded ? 0 : 1);
      this.#wrote.dispose();
      this.#closed.dispose();
    });
  }

  close(): void {
    this.#stop.abort();
  }

  handleInput(data: string): void {
    if (data === CTRL_C) this.#stop.abort();
  }

  async #run(): Promise<boolean> {
    const print: Print = (text) => this.#wrote.fire(terminalLines(text));
    try {
      return await this.#work(print, this.#stop.signal);
    } catch (error) {
      print(isCanceled(error) ? l10n.t('The task was canceled.') : explain(error, this.#attempt).text);
      // The notification has the button of the remedy, which a terminal cannot have.
      showError(this.#log, error, this.#attempt);
      return false;
    }
  }
}
