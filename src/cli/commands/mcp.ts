import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from '../command-line.js';
import { ExitCode } from '../exit-codes.js';
import { cliHost } from '../mcp/host.js';
import type * as McpServer from '../mcp/server.js';
import { packageRoot, packageVersion } from '../package.js';

export const mcp: Command = {
  name: 'mcp',
  summary: 'answer a language model’s questions about recordings (Model Context Protocol)',
  usage: ['mcp'],
  description: [
    'An MCP server on standard input and output, for a client such as an editor or an assistant: its tools list targets,\nopen a recording, and tell hot methods, the call tree, why it was slow, differences, lines and sources.',
    'It records only after the client has asked the person, each time. Sources are read below the current folder alone.',
  ],
  options: [],
  examples: ['btrace mcp'],
  async run(_input, terminal) {
    // Standard output is the protocol's.
    const bundle = pathToFileURL(path.join(packageRoot(), 'dist', 'mcp.cjs')).href;
    const { serve } = (await import(bundle)) as typeof McpServer;
    await serve(packageVersion(), cliHost(terminal, process.cwd()));
    return ExitCode.Done;
  },
};
