import type { BillingAction } from '../../../webviews/billing/messages.ts';
import type { CommandId } from '../../../kit/commandIds.ts';

/** The command that each action of the page runs. */
export const BILLING_COMMANDS: Readonly<Record<BillingAction, CommandId>> = {
  runJob: 'cloudCompute.jobs.run',
  startLocalPlatform: 'cloudCompute.localPlatform.start',
  replaceKey: 'cloudCompute.connections.replaceKey',
  showLog: 'cloudCompute.showLog',
};

/** Returns the action of the page that runs a command, if there is one. */
export function billingActionFor(command: CommandId): BillingAction | undefined {
  return (Object.keys(BILLING_COMMANDS) as BillingAction[]).find((action) => BILLING_COMMANDS[action] === command);
}
