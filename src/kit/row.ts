/** Content of a tree row. It is independent of VS Code, so that unit tests can check it. */
export interface Row {
  readonly label: string;
  readonly description: string;
  /** Name of a product icon, and of the theme color that tints it. */
  readonly icon: string;
  readonly color: string | undefined;
  /** Value of `viewItem` in `when` clauses. */
  readonly contextValue: string;
  /** Text for screen readers. */
  readonly spoken: string;
}
