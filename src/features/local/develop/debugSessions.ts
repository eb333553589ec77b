import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { DebugEvent } from '../../../contract/control/controlWorkers.ts';
import type { Log } from '../../../kit/log.ts';
import { PROCESS_END_MS, SESSION_START_MS, type WorkerHold } from './actions/holdWorker.ts';
import {
  holdOf,
  languageConfiguration,
  NODE_TYPE,
  openDebugger,
  PYTHON_TYPE,
  type LanguageConfiguration,
  type OpenDebugger,
  type WorkerConfiguration,
} from './model/debugConfiguration.ts';

/** Types of the sessions of the debuggers. The built-in debugger of Node.js changes its type. */
const SESSION_TYPES = [NODE_TYPE, 'pwa-node', PYTHON_TYPE, 'python'];

/** A message of a debugger, as far as it is read. */
interface AdapterMessage {
  readonly event?: string;
  readonly command?: string;
  readonly success?: boolean;
}

const tell = (text: string): void => vscode.debug.activeDebugConsole.appendLine(text);

/** A held worker with its debug session. */
interface HeldSession {
  readonly hold: WorkerHold;
  readonly configuration: WorkerConfiguration;
  readonly folder: vscode.WorkspaceFolder | undefined;
  /** Reports that the debugger with this ID is attached. */
  readonly attached: (debuggerId: string) => Promise<unknown>;
  /** Called once each session has received its breakpoints, before `attached`. */
  readonly configured?: (session: vscode.DebugSession) => Promise<void>;
  /** The open debugger, until it is reported as attached. */
  opened: OpenDebugger | undefined;
  session: vscode.DebugSession | undefined;
  /** Debugger of the next process, while the session of the last one ends. */
  next: DebugEvent | undefined;
  /** Whether the process ended, as opposed to a session that the user ended. */
  lostProcess: boolean;
}

/** Number of the last held worker, of all objects below. */
let last = 0;

/**
 * The debug sessions of workers. A worker is held from the start of its session to its end. If the process of the worker is restarted, a new
 * session attaches to the next process.
 */
export class DebugSessions {
  readonly #held = new Map<string, HeldSession>();
  readonly #log: Log;
  readonly #onChange: (endpointId: string) => void;
  readonly #subscriptions: vscode.Disposable;

  /** @param onChange called when a worker of an endpoint is held or released */
  constructor(log: Log, onChange: (endpointId: string) => void) {
    this.#log = log;
    this.#onChange = onChange;
    this.#subscriptions = vscode.Disposable.from(
      vscode.debug.onDidStartDebugSession((session) => this.#started(session)),
      vscode.debug.onDidTerminateDebugSession((session) => this.#terminated(session)),
      ...SESSION_TYPES.map((type) =>
        vscode.debug.registerDebugAdapterTrackerFactory(type, {
          createDebugAdapterTracker: (session) => this.#tracker(session),
        }),
      ),
    );
  }

  /**
   * Adds a held worker, whose first session is about to start. Returns the configuration of that session.
   */
  add(
    hold: WorkerHold,
    endpointId: string,
    given: Pick<HeldSession, 'configuration' | 'folder' | 'attached' | 'configured'>,
    ready: DebugEvent,
  ): LanguageConfiguration | undefined {
    const opened = openDebugger(ready);
    if (!opened) {
      hold.release();
      return undefined;
    }
    const id = String(++last);
    const held: HeldSession = {
      ...{ ...given, hold, opened },
      ...{ session: undefined, next: undefined, lostProcess: false },
    };
    this.#held.set(id, held);
    hold.onMatched = (jobId) => tell(l10n.t`The job ${jobId} meets the condition.`);
    hold.onReady = (event) => this.#ready(id, event);
    void hold.ended.then((error) => {
      this.#held.delete(id);
      if (error) this.#log.info(`debugging of a worker ended: ${error.message}`);
      this.#onChange(endpointId);
    });
    this.#onChange(endpointId);
    // The editor does not report a session that never starts, such as one whose debugger is disabled.
    hold.expectDebugger(SESSION_START_MS);
    return languageConfiguration(given.configuration, opened, id);
  }

  dispose(): void {
    for (const { hold } of this.#held.values()) hold.release();
    this.#subscriptions.dispose();
  }

  #started(session: vscode.DebugSession): void {
    const held = this.#of(session);
    if (!held) return;
    held.hold.keep();
    held.session = session;
    held.lostProcess = false;
  }

  /** Debuggers send `terminated` when their process is gone. The request `disconnect` precedes it if the user ended the session. */
  #tracker(session: vscode.DebugSession): vscode.DebugAdapterTracker | undefined {
    if (session.parentSession) return this.#childTracker(session);
    const held = this.#of(session);
    if (!held) return undefined;
    let disconnecting = false;
    return {
      onWillReceiveMessage: ({ command }: { command?: string }) => {
        if (command === 'disconnect' || command === 'terminate') disconnecting = true;
      },
      onDidSendMessage: (message: AdapterMessage) => {
        if (message.event === 'terminated' && !disconnecting) held.lostProcess = true;
        if (held.opened?.language === 'python') this.#onConfigured(held, session, message);
      },
    };
  }

  /** The debugger of Node.js sets breakpoints in a session below the first one. */
  #childTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker | undefined {
    const held = session.parentSession && this.#of(session.parentSession);
    return held && { onDidSendMessage: (message: AdapterMessage) => this.#onConfigured(held, session, message) };
  }

  /** The response to this request follows those to the requests that set breakpoints. */
  #onConfigured(held: HeldSession, session: vscode.DebugSession, { command, success }: AdapterMessage): void {
    if (command !== 'configurationDone' || success !== true) return;
    const debuggerId = held.opened?.debuggerId;
    held.opened = undefined;
    const report = async (): Promise<void> => {
      await held.configured?.(session);
      if (debuggerId === undefined) return;
      tell(l10n.t`Waiting for a job that meets the condition: ${held.configuration.condition ?? ''}`);
      await held.attached(debuggerId);
    };
    report().catch((error: unknown) => this.#log.warn('could not report the debugger to the platform', error));
  }

  #terminated(session: vscode.DebugSession): void {
    const held = this.#of(session);
    if (held?.session?.id !== session.id) return;
    held.session = undefined;
    const { next } = held;
    held.next = undefined;
    if (next) void this.#attach(holdOf(session.configuration) ?? '', held, next);
    else if (held.lostProcess) held.hold.expectDebugger(PROCESS_END_MS);
    else held.hold.release();
  }

  #ready(id: string, event: DebugEvent): void {
    const held = this.#held.get(id);
    if (!held) return;
    if (held.session) held.next = event;
    else void this.#attach(id, held, event);
  }

  async #attach(id: string, held: HeldSession, event: DebugEvent): Promise<void> {
    const { configuration, folder, hold } = held;
    const opened = openDebugger(event);
    held.opened = opened;
    const started = opened
      ? await vscode.debug.startDebugging(folder, languageConfiguration(configuration, opened, id))
      : false;
    if (!started) hold.release();
  }

  /** Returns the held worker of a session. Debuggers can start sessions below the first one, which do not count. */
  #of(session: vscode.DebugSession): HeldSession | undefined {
    if (session.parentSession) return undefined;
    const id = holdOf(session.configuration);
    return id === undefined ? undefined : this.#held.get(id);
  }
}
