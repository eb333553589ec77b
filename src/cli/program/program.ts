import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { HOSTED_VARIABLES, S3_VARIABLES } from '../../account/connections/model/hostedVariables.ts';
import { addBill } from '../bill/command.ts';
import { addBuild } from '../build/command.ts';
import { addCheck } from '../check/command.ts';
import { addCi } from '../ci/command.ts';
import { addCompletion } from '../completion/command.ts';
import { addDeploy, addDeployments, addPlan, addRollback } from '../deploy/command.ts';
import { addGate } from '../gate/command.ts';
import { addHardware } from '../hardware/command.ts';
import { addRun, addTimeline } from '../jobs/command.ts';
import { addLoad } from '../load/command.ts';
import { addLogin, addLogout } from '../login/command.ts';
import { addLogs } from '../logs/command.ts';
import { addMcp } from '../mcp/command.ts';
import { addNew } from '../new/command.ts';
import { addPlatform } from '../platform/command.ts';
import { addRecord } from '../record/command.ts';
import { addReplay } from '../replay/command.ts';
import { addRetrySafety } from '../safety/command.ts';
import { addShell } from '../shell/command.ts';
import { addTest } from '../tests/command.ts';
import { addTune } from '../tune/command.ts';
import { addVolumes } from '../volumes/command.ts';
import { addWatch } from '../watch/command.ts';
import type { Run } from './surroundings.ts';

/** Environment variables that name a platform, for the help and the documentation. */
const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  [HOSTED_VARIABLES.baseUrl, 'Address of the management API'],
  [HOSTED_VARIABLES.apiKey, 'API key, which is never an argument, because other programs can read arguments'],
  [HOSTED_VARIABLES.restUrl, 'Address of the v1 API (default: derived from the base URL, like the next two)'],
  [HOSTED_VARIABLES.queueUrl, 'Address of queue-based endpoints'],
  [HOSTED_VARIABLES.endpointHost, 'Address of load-balanced endpoints, with {endpoint_id}'],
  [HOSTED_VARIABLES.teamId, 'ID of the team to act for (default: the account of the key)'],
  [S3_VARIABLES.s3Url, 'Address of the S3 interface to the files of volumes, which can contain {data_center}'],
  [S3_VARIABLES.s3AccessKeyId, 'Access key ID for the files'],
  [S3_VARIABLES.s3SecretAccessKey, 'Secret access key for the files'],
];

/** The commands in the order of the help: from a platform to its use. */
const COMMANDS = [
  ...[
    addPlatform,
    addLogin,
    addLogout,
    addNew,
    addCheck,
    addHardware,
    addBuild,
    addPlan,
    addDeploy,
    addRollback,
    addDeployments,
  ],
  ...[
    addRun,
    addTimeline,
    addRecord,
    addReplay,
    addLoad,
    addTune,
    addLogs,
    addShell,
    addWatch,
    addVolumes,
    addBill,
    addTest,
    addRetrySafety,
    addGate,
    addCi,
    addMcp,
    addCompletion,
  ],
];

/** Returns a command and all commands below. */
export function withSubcommands(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Returns the name of a command with those of the commands that contain it, without that of the program, such as `volumes ls`. */
export function fullName(command: CommandUnknownOpts): string {
  const { parent } = command;
  return parent?.parent ? `${fullName(parent)} ${command.name()}` : command.name();
}

/** Returns the commands of the program, each of which calls `run`. */
export function createProgram(version: string, run: Run): Command {
  const program = new Command('cloud-compute');
  const width = Math.max(...VARIABLES.map(([name]) => name.length));
  program
    .description('Runs GPU and CPU workloads as serverless endpoints, on a hosted platform or on this machine.')
    .version(version)
    .enablePositionalOptions()
    .helpCommand(false)
    .showHelpAfterError('(see --help)')
    .addHelpText(
      'after',
      `\nEnvironment variables:\n${VARIABLES.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`).join('\n')}`,
    );
  for (const add of COMMANDS) add(program, run);
  return program;
}
