import * as vscode from 'vscode';
import { registerFileMarks, type FileMark } from '../../kit/fileDecorations.ts';
import { shown } from '../../text/shownText.ts';
import { type EndpointNode } from '../../account/endpoints/endpointNode.ts';
import { rowIdOf, rowUri } from '../../account/endpoints/rowUri.ts';
import { followStatusWords, type FollowedLogs, type FollowStatus } from './follow/followedLogs.ts';
import type { LogSubject } from './model/logSubject.ts';

const BADGES: Readonly<Record<FollowStatus, string>> = {
  following: '●',
  reconnecting: '◌',
  paused: '‖',
  stopped: '○',
  ended: '○',
};

/** Marks the rows of endpoints and workers whose logs are followed with the state of the log. */
export function registerLogMarks(followed: FollowedLogs): vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.Uri[]>();
  let marks = new Map<string, FollowStatus>();
  const subscription = followed.onDidChange(() => {
    const next = currentMarks(followed);
    const uris = [...new Set([...marks.keys(), ...next.keys()])]
      .filter((uri) => marks.get(uri) !== next.get(uri))
      .map((uri) => vscode.Uri.parse(uri, true));
    marks = next;
    if (uris.length > 0) changed.fire(uris);
  });
  return vscode.Disposable.from(
    registerFileMarks({
      onDidChange: changed.event,
      markOf: (uri) => {
        const status = rowIdOf(uri) === undefined ? undefined : marks.get(String(uri));
        return status && Promise.resolve(markOf(status));
      },
    }),
    changed,
    new vscode.Disposable(() => subscription.dispose()),
  );
}

function currentMarks(followed: FollowedLogs): Map<string, FollowStatus> {
  const marks = new Map<string, FollowStatus>();
  for (const { subject } of followed.all) {
    const status = followed.statusOf(subject);
    if (!status) continue;
    for (const node of nodesOf(subject)) marks.set(String(rowUri(node)), status);
  }
  return marks;
}

function nodesOf({ endpointId, workerIds }: LogSubject): EndpointNode[] {
  if (!workerIds) return [{ kind: 'endpoint', endpointId }];
  return workerIds.map((workerId) => ({ kind: 'worker', endpointId, workerId }));
}

function markOf(status: FollowStatus): FileMark {
  // A color would also apply to the name in the row.
  return { badge: BADGES[status], tooltip: shown`Log: ${followStatusWords[status]}` };
}
