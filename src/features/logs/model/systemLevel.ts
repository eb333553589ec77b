import { exitOf, readSystemLine } from '../../../contract/systemLines.ts';
import { levelInText, type LogLevel } from './logLevel.ts';

/** Returns the level of a line about the life cycle of a worker. */
export function levelOfSystemLine(line: string): LogLevel {
  const said = readSystemLine(line);
  switch (said?.kind) {
    case undefined:
      return levelInText(line) ?? 'info';
    case 'failed':
    case 'failedSilently':
    case 'notStarted':
    case 'notStartedBecause':
    case 'engineUnreachable':
    case 'imageUnavailable':
    case 'unhealthy':
    // Repeats the output of a failed process.
    case 'output':
      return 'error';
    case 'ended': {
      const exit = exitOf(said);
      return exit?.outOfMemory || exit?.outOfDisk || (exit?.code ?? 0) !== 0 ? 'error' : 'info';
    }
    case 'notReady':
    case 'slowStart':
    case 'stillStarting':
    case 'waitingForSlot':
    case 'waitingForPlace':
    case 'waitingForGpus':
    case 'sharedState':
    case 'requestFailed':
    case 'reportLeftOut':
    case 'webhookFailed':
    case 'linesLost':
    case 'linesDropped':
      return 'warn';
    default:
      return 'info';
  }
}
