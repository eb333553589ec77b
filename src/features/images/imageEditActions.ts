import type { CommandId } from '../../kit/commandIds.ts';
import type { ImageEditAction } from '../../webviews/imageEdit/messages.ts';

/** The command that each action of the page runs. */
export const IMAGE_EDIT_COMMANDS: Readonly<Record<ImageEditAction, CommandId>> = {
  startLocalPlatform: 'cloudCompute.localPlatform.start',
  switchConnection: 'cloudCompute.connections.switch',
  replaceKey: 'cloudCompute.connections.replaceKey',
  showLog: 'cloudCompute.showLog',
};

/** Returns the action of the page that runs a command, if there is one. */
export function imageEditActionFor(command: CommandId): ImageEditAction | undefined {
  return (Object.keys(IMAGE_EDIT_COMMANDS) as ImageEditAction[]).find((name) => IMAGE_EDIT_COMMANDS[name] === command);
}
