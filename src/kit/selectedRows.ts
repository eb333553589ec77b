/* The selected rows of views. A key binding passes no row to its command, so it names the view instead. */

type Selection = () => readonly unknown[];

const selections = new Map<string, Selection>();

/** Sets the function that returns the selected rows of a view, until the returned object is disposed. */
export function provideSelection(viewId: string, selection: Selection): { dispose(): void } {
  selections.set(viewId, selection);
  return { dispose: () => void selections.delete(viewId) };
}

/** Returns the selected rows of a view. */
export function selectedRows(viewId: string): readonly unknown[] {
  return selections.get(viewId)?.() ?? [];
}

/**
 * Returns the arguments that a context menu would pass: the first selected row, and all selected ones. Applies to `{ "selectionOf": view }`,
 * which key bindings pass. Returns other arguments unchanged, and none without a selected row.
 */
export function withSelectedRows(args: readonly unknown[]): readonly unknown[] {
  const [first] = args;
  if (typeof first !== 'object' || first === null || !('selectionOf' in first)) return args;
  const rows = typeof first.selectionOf === 'string' ? selectedRows(first.selectionOf) : [];
  return rows.length === 0 ? [] : [rows[0], rows];
}
