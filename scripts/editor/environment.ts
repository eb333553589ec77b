import process from 'node:process';

/**
 * Returns the environment for a new editor. Removes the variables of an editor whose terminal runs this process. They would make the new
 * editor open its window there, listen on another port, or require a password.
 */
export function editorEnvironment(): NodeJS.ProcessEnv {
  const foreign =
    /^(VSCODE_|CODE_SERVER_|CS_DISABLE_|ELECTRON_RUN_AS_NODE$|PORT$|PASSWORD$|HASHED_PASSWORD$|LOG_LEVEL$|EXTENSIONS_GALLERY$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
