import * as l10n from '@vscode/l10n';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { TerminalEnd } from '../../../contract/control/terminal.ts';
import type { RequestContext } from '../../../client/context.ts';
import { ApiError } from '../../../client/apiError.ts';
import { openWorkerTerminal } from '../../../client/workerTerminal.ts';
import { openShellTerminal, type ShellEnd, type ShellSize } from '../../../kit/shellTerminal.ts';
import type { Showable } from '../../../text/shownText.ts';

export interface ShellTarget {
  readonly context: RequestContext;
  readonly endpoint: Pick<Endpoint, 'id' | 'name'>;
  readonly workerId: string;
}

/** Opens a terminal with a shell in the container of a worker. */
export function openWorkerShell({ context, endpoint, workerId }: ShellTarget): void {
  openShellTerminal({
    name: l10n.t`${endpoint.name} (worker ${workerId})`,
    connecting: l10n.t('Opening a shell in the worker…'),
    connect: (size: ShellSize, { onOutput, onEnd }, signal) => {
      const listener = { onOutput, onEnd: (end: TerminalEnd) => onEnd(endOf(end)) };
      return openWorkerTerminal(context, { endpointId: endpoint.id, workerId, size }, listener, signal);
    },
    describe: refusalOf,
  });
}

function refusalOf(error: unknown): ShellEnd {
  if (!(error instanceof ApiError)) return retry(l10n.t`Could not open the terminal: ${String(error)}`);
  if (error.kind === 'forbidden')
    return final(l10n.t`The key may not change the endpoint, so it may not open a terminal: ${error.message}`);
  return retry(l10n.t`Could not open the terminal: ${error.message}`);
}

function endOf({ event, code, problem, reason = '' }: TerminalEnd): ShellEnd {
  switch (event) {
    case 'exited':
      return final(l10n.t`The shell exited with code ${String(code ?? 0)}.`);
    case 'ended':
      return final(l10n.t`The worker has ended: ${reason}`);
    case 'revoked':
      return final(l10n.t('The key of the connection is no longer valid.'));
    case 'failed':
      return failureOf(problem ?? 'other', reason);
    default:
      return retry(l10n.t('The connection to the shell was lost. A new shell does not continue the old one.'));
  }
}

function failureOf(problem: string, reason: string): ShellEnd {
  switch (problem) {
    case 'notRunning':
      return retry(l10n.t`The worker does not run now: ${reason}`);
    case 'notContainer':
      return final(l10n.t('The worker runs as a process on the machine of the platform, not in a container.'));
    case 'noShell':
      return final(l10n.t('The image contains neither bash nor sh.'));
    case 'forbidden':
      return final(l10n.t`The platform may not run programs in its cluster: ${reason}`);
    default:
      return retry(l10n.t`Could not open the terminal: ${reason}`);
  }
}

const final = (message: Showable): ShellEnd => ({
  ...{ message, canReconnect: false },
  hint: l10n.t('Press any key to close the terminal.'),
});

const retry = (message: Showable): ShellEnd => ({
  ...{ message, canReconnect: true },
  hint: l10n.t('Press Enter to reconnect, or any other key to close the terminal.'),
});
