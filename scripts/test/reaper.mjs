// Has the processes that nobody waits for counted: those whose parent has ended, as the parts of a killed browser or a program that
// went into the background. Linux gives them to the nearest ancestor that asks for them, and what a process has waited for is in its
// times. Node cannot ask, so a process of Perl's stands between this one and the command: it waits for all, and ends as the command
// does. It sleeps until one has ended.
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { waitedCpuMs } from '../waited-cpu.mjs';

/** What the environment of the command has: the process that waits for what nobody else does. */
const reaperName = 'BTRACE_TEST_REAPER';

const prctl = { x64: 157, arm64: 167 }[process.arch];

const script = `
  use POSIX ();
  my ($prctl, $name) = splice @ARGV, 0, 2;
  my $reaps = syscall($prctl, 36, 1, 0, 0, 0) == 0;  # PR_SET_CHILD_SUBREAPER
  my $self = $$;
  my $command = fork;
  defined $command or exit 126;
  if (!$command) { $ENV{$name} = $self if $reaps; exec { $ARGV[0] } @ARGV or POSIX::_exit(127); }
  # Who ends the group asks the command as well, which may take its time.
  $SIG{$_} = sub {} for qw(INT TERM HUP);
  my $status;
  while (!defined $status) { my $ended = waitpid -1, 0; $status = $? if $ended == $command; }
  while (waitpid(-1, POSIX::WNOHANG()) > 0) {}
  if (my $signal = $status & 127) { $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP); kill $signal, $$; sleep }
  POSIX::_exit($status >> 8);
`;

const perl = process.env.PATH?.split(path.delimiter)
  .map((folder) => path.join(folder, 'perl'))
  .find((file) => existsSync(file));

/** Whether what nobody waits for is counted on this machine. */
export const countsAll = process.platform === 'linux' && prctl !== undefined && perl !== undefined;

/** The command as it is to be started so that all that it starts is counted in the times of its process, where that can be. */
export function counted(command, args) {
  return countsAll ? [perl, ['-e', script, String(prctl), reaperName, command, ...args]] : [command, args];
}

/** CPU time, in ms, of what this suite started and nobody waited for, as far as it has ended. */
export function orphansCpuMs() {
  const reaper = process.env[reaperName];
  return reaper === undefined ? 0 : waitedCpuMs(reaper);
}
