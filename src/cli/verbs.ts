/* The commands of the program. Their code is loaded when one of them runs. */

export { billCommand } from './bill/billCommand.ts';
export { buildCommand } from './build/buildCommand.ts';
export { checkCommand } from './check/checkCommand.ts';
export { ciCommand } from './ci/ciCommand.ts';
export { deployCommand } from './deploy/deployCommand.ts';
export { deploymentsCommand } from './deploy/deploymentsCommand.ts';
export { planCommand } from './deploy/planCommand.ts';
export { rollbackCommand } from './deploy/rollbackCommand.ts';
export { gateCommand } from './gate/gateCommand.ts';
export { hardwareCommand } from './hardware/hardwareCommand.ts';
export { runCommand } from './jobs/runCommand.ts';
export { timelineCommand } from './jobs/timelineCommand.ts';
export { loadCommand } from './load/loadCommand.ts';
export { loginCommand, logoutCommand } from './login/loginCommand.ts';
export { logsCommand } from './logs/logsCommand.ts';
export { newCommand } from './new/newCommand.ts';
export { platformCommand } from './platform/platformCommand.ts';
export { recordCommand } from './record/recordCommand.ts';
export { replayCommand } from './replay/replayCommand.ts';
export { retrySafetyCommand } from './safety/retrySafetyCommand.ts';
export { shellCommand } from './shell/shellCommand.ts';
export { testCommand } from './tests/testCommand.ts';
export { tuneCommand } from './tune/tuneCommand.ts';
export { createCommand, deleteCommand, growCommand, removeCommand } from './volumes/changeCommands.ts';
export { listCommand } from './volumes/listCommand.ts';
export { getCommand, putCommand } from './volumes/transferCommands.ts';
export { watchCommand } from './watch/watchCommand.ts';
