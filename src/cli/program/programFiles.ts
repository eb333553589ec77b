/** Files that the program needs. */
export interface ProgramFiles {
  /** Path of the platform's program. */
  readonly platformScript: string;
  /** Path of the program that simulates endpoints. */
  readonly simulationScript: string;
  /** Path of the extension's `package.json`, which contains the version. */
  readonly packageFile: string;
}
