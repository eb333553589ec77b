import path from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { EXIT_CODES } from '../program/exitCodes.ts';
import { dataDirectory, documentExits, notEmpty } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';

export function addMcp(program: Command, run: Run): void {
  const command = program
    .command('mcp')
    .summary('serve the tools of Cloud Compute to agents')
    .description(
      'Serves the tools of Cloud Compute to agents, with the Model Context Protocol on standard input and output. Messages for people are on ' +
        'standard error. The server exits at the end of standard input, and after a message of more than 10 MB. The tools use the local platform, which ' +
        'is free, or the platform of the environment variables. A running local platform is shared, and the tool start_local_platform starts one.',
    )
    .option(
      '--workspace <dir>',
      'folder whose files tools can read, and in which they create files; can be repeated (default: the folders of the client, or the ' +
        'working directory unless that is the home directory or a root)',
      (text: string, others: readonly string[] | undefined): readonly string[] => [
        ...(others ?? []),
        path.resolve(notEmpty(text)),
      ],
    )
    .addOption(dataDirectory())
    .option(
      '--allow-changes',
      'run tools that change something or cost money without asking, if the client cannot ask the user, except in production (default: such calls fail and say ' +
        'what would have happened)',
    )
    .action(({ workspace = [], dataDir, allowChanges = false }) =>
      run(async (surroundings) => {
        const { mcpCommand } = await import('./mcpCommand.ts');
        await mcpCommand({ workspaces: workspace, dataDirectory: dataDir, allowChanges }, surroundings);
        return EXIT_CODES.done;
      }),
    );
  documentExits(command, [['0', 'The connection with the client ended.']]);
}
