/** Scripts by which shells complete the command line. They hold all that they offer: pressing Tab starts no process. */
import type { Command, Option } from './command-line.js';

type Script = (commands: readonly Command[]) => string;

const helpOption: Option = { name: 'help', short: 'h', help: 'show what the command takes' };
const optionsOf = ({ options }: Command): readonly Option[] => [...options, helpOption];
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
const namesOf = ({ name, short }: Option): string[] =>
  short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
const takesFile = ({ value = '' }: Option): boolean => /FILE|FOLDER|FLEET|PATH/.test(value);

/** `command option` for each of a command's options that take a value. */
const keysOf = (command: Command, option: Option): string[] =>
  namesOf(option).map((name) => `${command.name} ${name}`);

interface Values {
  /** With a list of what they may be. */
  readonly listed: ReadonlyMap<string, readonly string[]>;
  /** That are neither in a list nor a file. */
  readonly free: readonly string[];
  readonly files: readonly string[];
}

function valuesOf(commands: readonly Command[]): Values {
  const listed = new Map<string, readonly string[]>();
  const free: string[] = [];
  const files: string[] = [];
  for (const command of commands)
    for (const option of command.options) {
      if (option.value === undefined) continue;
      for (const key of keysOf(command, option))
        if (option.choices !== undefined) listed.set(key, option.choices);
        else (takesFile(option) ? files : free).push(key);
    }
  return { listed, free, files };
}

/** In single quotes of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const either = (keys: readonly string[]): string => keys.map(quoted).join('|');

const bash: Script = (commands) => {
  const { listed, free } = valuesOf(commands);
  const offer = (words: readonly string[]): string =>
    `COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$word"))`;
  return `# Completion of btrace for bash: eval "$(btrace completion bash)"
_btrace() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" at
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    ${offer(commands.map(({ name }) => name))}
    return
  fi
  for ((at = 2; at < COMP_CWORD; at++)); do
    if [ "\${COMP_WORDS[at]}" = -- ]; then return; fi
  done
  # Of --option=value, bash makes three words.
  if [ "$word" = = ]; then word=
  elif [ "$before" = = ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  case "$command $before" in
${[...listed].map(([key, words]) => `    ${quoted(key)}) ${offer(words)}; return ;;`).join('\n')}
    ${either(free)})
      compopt +o default +o bashdefault 2> /dev/null
      return ;;
  esac
  if [ "\${word#-}" = "$word" ]; then return; fi
  case "$command" in
${commands.map((one) => `    ${one.name}) ${offer(optionsOf(one).map(({ name }) => `--${name}`))} ;;`).join('\n')}
  esac
}
complete -o bashdefault -o default -F _btrace btrace
`;
};

const zsh: Script = (commands) => {
  const { listed, free, files } = valuesOf(commands);
  const described = (name: string, help: string): string =>
    quoted(`${name.replaceAll(':', '\\:')}:${firstLine(help)}`);
  const optionsIn = (one: Command): string =>
    optionsOf(one)
      .map(({ name, help }) => described(`--${name}`, help))
      .join(' ');
  return `#compdef btrace
# Completion of btrace for zsh: eval "$(btrace completion zsh)", after compinit
_btrace() {
  local -a offered
  if (( CURRENT == 2 )); then
    offered=(${commands.map(({ name, summary }) => described(name, summary)).join(' ')})
    _describe -t commands command offered
    return
  fi
  if (( \${words[(i)--]} < CURRENT )); then
    _files
    return
  fi
  case "\${words[2]} \${words[CURRENT-1]}" in
${[...listed].map(([key, words]) => `    ${quoted(key)}) compadd -- ${words.map(quoted).join(' ')}; return ;;`).join('\n')}
    ${either(files)}) _files; return ;;
    ${either(free)}) return ;;
  esac
  if [[ $PREFIX != -* ]]; then
    _files
    return
  fi
  case "\${words[2]}" in
${commands.map((one) => `    ${one.name}) offered=(${optionsIn(one)}) ;;`).join('\n')}
  esac
  _describe -o -t options option offered
}
if [ "\${funcstack[1]}" = _btrace ]; then _btrace "$@"; else compdef _btrace btrace; fi
`;
};

const fish: Script = (commands) => {
  const text = (words: string): string => `'${words.replace(/[\\']/g, '\\$&')}'`;
  const line = (command: Command, option: Option): string => {
    const words = [`-n '__fish_seen_subcommand_from ${command.name}'`, `-l ${option.name}`];
    if (option.short !== undefined) words.push(`-s ${option.short}`);
    if (option.choices !== undefined) words.push(`-x -a ${text(option.choices.join(' '))}`);
    else if (option.value !== undefined) words.push(takesFile(option) ? '-r -F' : '-x');
    return `complete -c btrace ${words.join(' ')} -d ${text(firstLine(option.help))}`;
  };
  return [
    '# Completion of btrace for fish: btrace completion fish | source',
    ...commands.flatMap((one) => [
      `complete -c btrace -n __fish_use_subcommand -f -a ${one.name} -d ${text(one.summary)}`,
      ...optionsOf(one).map((option) => line(one, option)),
    ]),
    '',
  ].join('\n');
};

const powershell: Script = (commands) => {
  // PowerShell takes the typographic ones for quotes as well.
  const text = (words: string): string => `'${words.replace(/['‘’‚‛]/g, '$&$&')}'`;
  const pairs = (all: readonly (readonly [string, string])[]): string =>
    `@(${all.map(([word, help]) => `,@(${text(word)}, ${text(help)})`).join('; ')})`;
  const offered = commands.map((one) => {
    const options = optionsOf(one).map(({ name, help }) => [`--${name}`, firstLine(help)] as const);
    return `    ${text(one.name)} = ${pairs(options)}`;
  });
  const values = [...valuesOf(commands).listed].map(
    ([key, words]) => `    ${text(key)} = ${pairs(words.map((word) => [word, word] as const))}`,
  );
  return `# Completion of btrace for PowerShell: btrace completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName btrace -ScriptBlock {
  param($word, $typed, $cursor)
  $options = @{
${offered.join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $commands = ${pairs(commands.map(({ name, summary }) => [name, summary] as const))}
  $words = @($typed.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
  if ($words -contains '--') { return }
  $offered = if ($words.Count -lt 2) { $commands }
    elseif ($values.ContainsKey("$($words[1]) $($words[-1])")) { $values["$($words[1]) $($words[-1])"] }
    elseif ($word -like '-*') { $options[$words[1]] }
  $offered | Where-Object { $_ -and $_[0] -like "$word*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}
`;
};

export const completionScripts: Readonly<Record<string, Script>> = { bash, zsh, fish, powershell };
