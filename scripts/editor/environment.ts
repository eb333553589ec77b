import process from 'node:process';

/**
 * The environment for an editor we start. When we run in a terminal of another editor, or a deployed one, variables meant
 * for that one would make ours open its window there, listen elsewhere or ask for a password.
 */
export function editorEnvironment(): NodeJS.ProcessEnv {
  const foreign =
    /^(VSCODE_|CODE_SERVER_|CS_DISABLE_|ELECTRON_RUN_AS_NODE$|PORT$|PASSWORD$|HASHED_PASSWORD$|LOG_LEVEL$|EXTENSIONS_GALLERY$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
