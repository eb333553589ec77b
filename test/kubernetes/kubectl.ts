import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs kubectl, and resolves with its output. @throws an error that contains the output to stderr */
export async function kubectl(args: readonly string[], input?: string): Promise<string> {
  const running = promisify(execFile)('kubectl', [...args], { maxBuffer: 16 * 1_048_576 });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

/** Whether kubectl is on the path. */
export async function hasKubectl(): Promise<boolean> {
  return kubectl(['version', '--client']).then(
    () => true,
    () => false,
  );
}

/** Creates or changes objects. */
export async function apply(namespace: string, objects: readonly object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  await kubectl(['--namespace', namespace, 'apply', '--filename', '-'], JSON.stringify(list));
}
