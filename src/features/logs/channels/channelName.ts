import { foreign, shown, type ShownText } from '../../../text/shownText.ts';
import { workerWords, type LogSubject } from '../model/logSubject.ts';

/** Longest endpoint name or worker ID in the name of a channel, in UTF-16 code units. */
const LONGEST_NAME = 100;

/** Names the channel of a log, such as `hello / all workers`. @param isTaken whether another channel has a name */
export function channelName(subject: LogSubject, isTaken: (name: string) => boolean): ShownText {
  const { endpointName, endpointId } = subject;
  const workers = foreign(workerWords(subject), LONGEST_NAME);
  const name = shown`${foreign(endpointName, LONGEST_NAME)} / ${workers}`;
  if (!isTaken(name.text)) return name;
  // Names of endpoints are not unique.
  return shown`${foreign(endpointName, LONGEST_NAME)} (${foreign(endpointId, LONGEST_NAME)}) / ${workers}`;
}

/** Returns whether an output document shows the channel with a name. The editor puts the name after the number of the channel. */
export function showsChannel({ scheme, path }: { scheme: string; path: string }, name: string): boolean {
  return scheme === 'output' && /-#\d+-(.*)$/s.exec(path)?.[1] === name;
}
