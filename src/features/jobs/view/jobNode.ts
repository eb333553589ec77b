import { idPart } from '../../../text/idPart.ts';

/** A row of the jobs view. It contains only IDs, so that a command acts on current data. */
export interface JobNode {
  readonly kind: 'job';
  readonly connectionId: string;
  readonly jobId: string;
}

/** Returns the ID of a row, which is unique among all connections. */
export function jobNodeId({ connectionId, jobId }: JobNode): string {
  return `${idPart(connectionId)}/${idPart(jobId)}`;
}

function isJobNode(value: unknown): value is JobNode {
  const { kind, connectionId, jobId } = (value ?? {}) as Partial<Record<keyof JobNode, unknown>>;
  return kind === 'job' && typeof connectionId === 'string' && typeof jobId === 'string';
}

/** Returns the rows that a command acts on. @param args arguments of the command: the clicked row and all selected rows */
export function jobNodesIn([node, selected]: readonly unknown[]): readonly JobNode[] {
  const several = Array.isArray(selected) ? selected.filter(isJobNode) : [];
  if (several.length > 0) return several;
  return isJobNode(node) ? [node] : [];
}
